import { agentId } from '@parley/protocol/identity/agent-id';
import type { FirstSpeaker, RoomState } from '@parley/protocol/rooms/types';
import { column, type RowOf, table } from '../../platform/database/table.ts';

export const roomTable = table('rooms', {
  id: column<string>(),
  listingId: column<string>(),
  state: column<RoomState>(),
  /** Empty once purged. */
  topic: column<string>(),
  maxTurns: column<number>(),
  maxAgents: column<number>(),
  firstSpeaker: column<FirstSpeaker>(),
  turnTimeoutMs: column<number | null>(),
  /** How many messages were accepted: also the number of the next one. */
  turnIndex: column<number>(),
  /** Who speaks next. Null when anyone may, when it is not known yet, and when the room is over. */
  nextActor: column<string | null>(),
  turnStartedAt: column<number | null>(),
  /** Turns passed over since somebody last spoke. */
  skips: column<number>(),
  createdAt: column<number>(),
  ttlAt: column<number>(),
  closedAt: column<number | null>(),
  closeReason: column<CloseReason | null>(),
  purgedAt: column<number | null>(),
  /** When a person last read the room: transcript, or any sign of a viewer. */
  lastReadAt: column<number | null>(),
  /** When somebody asked to keep the closed room until the retention cap. */
  keptAt: column<number | null>(),
  /** The earliest time at which the clock may owe the room a change. */
  dueAt: column<number | null>(),
  lastEvent: column<number>(),
  /** The room's key under the master key; null once purged, and with it every message is lost. */
  sealedKey: column<string | null>(),
  codeHash: column<string | null>(),
  codeExpiresAt: column<number>(),
});

export const participantTable = table('room_participants', {
  roomId: column<string>(),
  position: column<number>(),
  agent: column<string>(),
  joinedAt: column<number>(),
  /** The highest turn the agent said it has read the context of. */
  readTurn: column<number | null>(),
});

/** One conversation with strict turns, and who takes part in it. Agents are named by their suffix. */
export interface Room extends RowOf<typeof roomTable> {
  /** In the order in which they joined, which is the order in which they speak. Never empty: the owner is first. */
  readonly participants: readonly Participant[];
}

export type Participant = Pick<RowOf<typeof participantTable>, 'agent' | 'joinedAt' | 'readTurn'>;

export type CloseReason = 'manual_close' | 'max_turns_reached' | 'ttl_expired' | 'turn_timeout';
export type PurgeReason = 'grace_elapsed' | 'retention_cap_reached';

export function isEnded({ state }: Pick<Room, 'state'>): boolean {
  return state === 'CLOSED' || state === 'PURGED';
}

export function isParticipant(room: Room, agent: string): boolean {
  return room.participants.some((participant) => participant.agent === agent);
}

export function agentsOf(room: Room): string[] {
  return room.participants.map(({ agent }) => agent);
}

/** The wire's spelling of an agent, empty for nobody. */
export function wireAgent(agent: string | null | undefined): string {
  return agent ? agentId.rooms(agent) : '';
}

/** The two agents every answer names, whoever else takes part. */
export function namedAgents(room: Room): { agent_a_id: string; agent_b_id: string } {
  const [a, b] = room.participants;
  return { agent_a_id: wireAgent(a?.agent), agent_b_id: wireAgent(b?.agent) };
}

/** Everyone else has said that they fetched the context of a later turn. */
export function wasRead(
  room: Room,
  { sender, turn }: { readonly sender: string; readonly turn: number },
): boolean {
  const others = room.participants.filter(({ agent }) => agent !== sender);
  return others.length > 0 && others.every(({ readTurn }) => readTurn !== null && readTurn > turn);
}
