import { announce } from '../artifacts/record-change.ts';
import { plant } from '../import/plant.ts';
import type { ContinuityService } from '../service.ts';

/** Takes over a document as it is, valid or not. False when the path is not that of an artifact. */
export async function plantDocument(
  service: ContinuityService,
  ownerId: string,
  path: string,
  bytes: Uint8Array,
  peerId = 'self',
): Promise<boolean> {
  const { memory } = service;
  const now = memory.clock.now();
  const outcome = await memory.database.write(async (tx) => {
    const planted = await plant(tx, ownerId, path, bytes, { peerId, now });
    if (planted.kind === 'planted') await announce(memory, tx, planted.recorded);
    return planted;
  });
  service.changed(ownerId);
  return outcome.kind !== 'unknown';
}
