import { saveFile } from '@parley/server/knowledge/documents/save-file';
import type { Database } from '@parley/server/platform/database/database';

const TOGETHER = 250;
/** As many at once as there are processors for. */
const LANES = 2;

/** Puts documents into a store as a write of each would, a few hundred at a time; their index is made afterwards. */
export async function fillDocuments(
  database: Database,
  ownerId: string,
  documentOf: (n: number) => { path: string; content: string },
  { from, to }: { from: number; to: number },
): Promise<void> {
  const now = Date.now();
  let next = from;
  const lane = async (): Promise<void> => {
    while (next < to) {
      const first = next;
      next = Math.min(to, next + TOGETHER);
      const last = next;
      await database.write(async (tx) => {
        for (let n = first; n < last; n++) {
          const { path, content: text } = documentOf(n);
          await saveFile(tx, {
            ownerId,
            path,
            text,
            operation: 'documents.write',
            now,
            peerId: 'bench',
            commitMessage: path,
            place: { replaced: undefined, index: undefined },
          });
        }
      });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
