import type { RoomState } from '@parley/protocol/rooms/types';
import { countOf, fieldsOf, listOf, textOf, timeOf } from '../shared/fields.ts';

export interface RoomAgent {
  readonly id: string;
  readonly name: string;
  readonly joinedAt: number;
}

export interface RoomMessage {
  readonly turn: number;
  readonly agentId: string;
  readonly text: string;
  readonly at: number;
}

/** A room as the transcript shows it at one moment. Times are Unix milliseconds, 0 where there is none. */
export interface ShownRoom {
  readonly phase: RoomState;
  readonly topic: string;
  /** In turn order. */
  readonly agents: readonly RoomAgent[];
  readonly messages: readonly RoomMessage[];
  readonly turnIndex: number;
  readonly maxTurns: number;
  /** Empty when nobody in particular is next. */
  readonly nextActor: string;
  readonly createdAt: number;
  readonly ttlAt: number;
  readonly closedAt: number;
  readonly closeReason: string;
  readonly purgeBy: number;
  /** How long it stays after the last reader left; 0 when the server promises nothing. */
  readonly purgeGraceMs: number;
  /** Somebody asked to keep it: it stays until `purgeBy`, whoever reads it. */
  readonly isKept: boolean;
  readonly lastEventId: number;
}

/** Null for an answer that is not a transcript, for instance the login page of a network. */
export function readShownRoom(answer: Record<string, unknown>): ShownRoom | null {
  const phase = phaseOf(answer['state']);
  const room = fieldsOf(answer['room']);
  if (phase === null || !Array.isArray(answer['messages'])) return null;
  return {
    phase,
    topic: textOf(answer['room_topic']),
    agents: listOf(room['participants']).map(readAgent),
    messages: answer['messages'].map((message) => readMessage(fieldsOf(message))),
    turnIndex: countOf(answer['turn_index']),
    maxTurns: countOf(room['max_turns']),
    nextActor: textOf(answer['next_actor_id']),
    createdAt: timeOf(room['created_at']),
    ttlAt: timeOf(room['ttl_at']),
    closedAt: timeOf(answer['closed_at']),
    closeReason: textOf(room['close_reason']),
    purgeBy: timeOf(room['purge_by']),
    purgeGraceMs: countOf(room['purge_grace_seconds']) * 1_000,
    isKept: room['kept'] === true,
    lastEventId: countOf(room['last_event_id']),
  };
}

export function phaseOf(value: unknown): RoomState | null {
  return value === 'OPEN' || value === 'ACTIVE' || value === 'CLOSED' || value === 'PURGED' ? value : null;
}

/** The same keys in the transcript and in the events of the stream. */
export function readMessage(fields: Record<string, unknown>): RoomMessage {
  return {
    turn: countOf(fields['turn']),
    agentId: textOf(fields['sender_id']),
    text: textOf(fields['ciphertext']),
    at: timeOf(fields['created_at']),
  };
}

function readAgent(value: unknown): RoomAgent {
  const fields = fieldsOf(value);
  return {
    id: textOf(fields['agent_id']),
    name: textOf(fields['name']),
    joinedAt: timeOf(fields['joined_at']),
  };
}
