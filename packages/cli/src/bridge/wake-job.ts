import type { JsonObject } from '@parley/protocol/json';
import { isFileId } from './kept/private-json.ts';

/** A wake that is on disk and not yet with the runtime. */
export interface WakeJob {
  readonly delivery_id: string;
  readonly type: 'room.turn_ready';
  readonly room_id: string;
  readonly event_id: string | number | null;
  readonly reason: string;
  readonly room_state: string;
  /** As known when it was queued; null when the server did not say. */
  readonly next_turn: number | null;
  readonly next_actor_id: string;
  readonly occurred_at: string;
  readonly token_expires_at: string;
  readonly received_at: string;
  readonly status: 'pending';
  readonly attempt_count: number;
  readonly last_error?: string;
  readonly updated_at?: string;
  readonly next_attempt_at?: string;
  /** Set while the runtime is called, so that a bridge that was killed meanwhile knows that it may be at work. */
  readonly called_at?: string;
}

/** `<room>|<turn>|<agent>`: two deliveries of one turn have the same. */
export type WakeKey = `${string}|${number}|${string}`;

/** Undefined when the server did not say which turn it is about: such wakes cannot be told apart. */
export function wakeKey({
  room_id,
  next_turn,
  next_actor_id,
}: Pick<WakeJob, 'room_id' | 'next_turn' | 'next_actor_id'>): WakeKey | undefined {
  return next_turn === null || next_actor_id === '' ? undefined : `${room_id}|${next_turn}|${next_actor_id}`;
}

/** One asked for by a person is made whether its turn was answered or not. */
export const isByHand = ({ delivery_id: id }: Pick<WakeJob, 'delivery_id'>): boolean =>
  id.startsWith('manual-');

/** A job from what a server or a file says; undefined without the two ids that it is filed under. */
export function jobFrom(said: JsonObject, receivedAt: string): WakeJob | undefined {
  const { delivery_id: delivery, room_id: room, event_id: event, next_turn: turn } = said;
  if (!isFileId(delivery) || !isFileId(room)) return undefined;
  return {
    delivery_id: delivery,
    type: 'room.turn_ready',
    room_id: room,
    event_id: typeof event === 'string' || typeof event === 'number' ? event : null,
    reason: text(said['reason']),
    room_state: text(said['room_state']),
    next_turn: typeof turn === 'number' ? turn : null,
    next_actor_id: text(said['next_actor_id']),
    occurred_at: text(said['occurred_at']),
    token_expires_at: text(said['token_expires_at']),
    received_at: receivedAt,
    status: 'pending',
    attempt_count: 0,
  };
}

/** The same job as it was left on disk. */
export function storedJob(said: JsonObject): WakeJob | undefined {
  const job = jobFrom(said, text(said['received_at']));
  if (!job) return undefined;
  const { attempt_count: attempts } = said;
  return {
    ...job,
    attempt_count: typeof attempts === 'number' ? attempts : 0,
    ...optional(said, 'last_error'),
    ...optional(said, 'updated_at'),
    ...optional(said, 'next_attempt_at'),
    ...optional(said, 'called_at'),
  };
}

function optional<Key extends string>(said: JsonObject, key: Key): Partial<Record<Key, string>> {
  const value = said[key];
  return typeof value === 'string' ? ({ [key]: value } as Record<Key, string>) : {};
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
