import { agentId } from '@parley/protocol/identity/agent-id';
import type { FirstSpeaker, RoomState } from '@parley/protocol/rooms/types';

/** One conversation with strict turns, and who takes part in it. Agents are named by their suffix. */
export interface Room {
  readonly id: string;
  readonly listingId: string;
  readonly state: RoomState;
  /** Empty once purged. */
  readonly topic: string;
  readonly maxTurns: number;
  readonly maxAgents: number;
  readonly firstSpeaker: FirstSpeaker;
  readonly turnTimeoutMs: number | null;
  /** How many messages were accepted: also the number of the next one. */
  readonly turnIndex: number;
  /** Who speaks next. Null when anyone may, when it is not known yet, and when the room is over. */
  readonly nextActor: string | null;
  readonly turnStartedAt: number | null;
  /** Turns passed over since somebody last spoke. */
  readonly skips: number;
  readonly createdAt: number;
  readonly ttlAt: number;
  readonly closedAt: number | null;
  readonly closeReason: CloseReason | null;
  readonly purgedAt: number | null;
  /** When a person last read the room: transcript, or any sign of a viewer. */
  readonly lastReadAt: number | null;
  /** When somebody asked to keep the closed room until the retention cap. */
  readonly keptAt: number | null;
  /** The earliest time at which the clock may owe the room a change. */
  readonly dueAt: number | null;
  readonly lastEvent: number;
  /** The room's key under the master key; null once purged, and with it every message is lost. */
  readonly sealedKey: string | null;
  readonly codeHash: string | null;
  readonly codeExpiresAt: number;
  /** In the order in which they joined, which is the order in which they speak. Never empty: the owner is first. */
  readonly participants: readonly Participant[];
}

export interface Participant {
  readonly agent: string;
  readonly joinedAt: number;
  /** The highest turn the agent said it has read the context of. */
  readonly readTurn: number | null;
}

export type CloseReason = 'manual_close' | 'max_turns_reached' | 'ttl_expired' | 'turn_timeout';
export type PurgeReason = 'grace_elapsed' | 'retention_cap_reached';

export function isOver({ state }: Pick<Room, 'state'>): boolean {
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
