import type { StreamEvent } from '../event-stream-reader.ts';
import type { CapsuleEvent } from '@parley/protocol/continuity/list-answers';

/** What an event of the capsule stream says, with the id to resume after. None for events of another name. */
export function capsuleEvents({ event, id: text, data }: StreamEvent): CapsuleEvent[] {
  const id = Number(text);
  if (event !== 'capsule' || !Number.isSafeInteger(id)) return [];
  // Events of this name are written by the server's own declaration.
  return [{ id, ...(JSON.parse(data) as Omit<CapsuleEvent, 'id'>) }];
}
