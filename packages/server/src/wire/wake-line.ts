import { type Log } from '../platform/log.ts';
import { sseFrame } from '../platform/streams/sse-frame.ts';

export interface WakeLineOptions<Item> {
  readonly log: Log;
  /** What is logged when a look fails. */
  readonly failed: string;
  readonly idOf: (item: Item) => string;
  /** What is told of each, with its `type`. */
  readonly tell: (items: readonly Item[]) => Promise<readonly { readonly type: string }[]>;
  readonly send: (frame: string) => void;
  /** How many it remembers having told, so that none starts the agent twice. */
  readonly remembered?: number;
}

/**
 * What one agent is told on its stream: look after look, one after the other, so that a backlog comes first and everything in its
 * order, and each thing once.
 */
export function wakeLine<Item>({ log, failed, idOf, tell, send, remembered = 1_000 }: WakeLineOptions<Item>) {
  const told = new Set<string>();
  let open = true;
  let work: Promise<void> = Promise.resolve();
  const show = async (look: () => Promise<readonly Item[]>): Promise<void> => {
    const fresh = open ? (await look()).filter((item) => !told.has(idOf(item))) : [];
    if (fresh.length === 0) return;
    for (const [at, data] of (await tell(fresh)).entries()) {
      const item = fresh[at];
      if (!open || item === undefined) return;
      told.add(idOf(item));
      const [oldest] = told;
      if (oldest !== undefined && told.size > remembered) told.delete(oldest);
      // Without an id: the stream's cursor is that of the rooms.
      send(sseFrame({ event: data.type, data: JSON.stringify(data) }));
    }
  };
  return {
    look(items: () => Promise<readonly Item[]>): void {
      work = work.then(() => show(items)).catch(log.failed(failed));
    },
    close(): void {
      open = false;
    },
  };
}
