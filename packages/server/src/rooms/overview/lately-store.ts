import { type CountAsk, type Counted, countsSince } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';

interface Tables {
  room_messages: { room_id: string; sender: string };
  room_participants: { room_id: string; agent: string; owner_id: string };
}

/** How many turns were taken by stretch of time; by the agents of one account, or by all. */
export function turnCountsSince(reader: Reader, ask: CountAsk): Promise<Counted[]> {
  const { ownerId } = ask;
  const turns = reader.kysely<Tables>().selectFrom('room_messages as m');
  if (ownerId === undefined) return countsSince(turns, 'm.created_at', ask);
  const own = turns
    .innerJoin('room_participants as p', (of) =>
      of.onRef('p.room_id', '=', 'm.room_id').onRef('p.agent', '=', 'm.sender'),
    )
    .where('p.owner_id', '=', ownerId);
  return countsSince(own, 'm.created_at', ask);
}
