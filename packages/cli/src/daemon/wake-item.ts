import { isFileId, type JsonObject } from '../bridge/private-json.ts';

/**
 * A wake of any kind, from the frame to the end of the run it started:
 *
 * | fact      | when it is written                                   |
 * |-----------|------------------------------------------------------|
 * | delivered | it is on disk                                        |
 * | invoked   | the adapter started the agent's program, or told it  |
 * | ended     | the program came back, with what outcome             |
 */
export interface WakeItem {
  /** Of the message, the execution or the turn: one thing wakes once. */
  readonly id: string;
  readonly type: 'message.wake' | 'cue.wake' | 'room.turn_ready';
  /** Who caused it, as `slug@owner`; empty where the server does not say. */
  readonly from: string;
  readonly message_id: string | null;
  readonly execution_id: string | null;
  readonly room_id: string | null;
  /** What the server sent, as it came. Others wrote it: it is data, and only ever handed over as such. */
  readonly data: JsonObject;
  readonly delivered_at: string;
  readonly attempts: number;
  readonly next_attempt_at?: string;
  readonly invoked_at?: string;
  /** Of the program, where one was started. */
  readonly pid?: number;
  readonly last_error?: string;
}

/** Undefined for what is no wake, or has ids that no server of ours gives. */
export function itemFrom(event: string | undefined, data: JsonObject, now: string): WakeItem | undefined {
  const item = (type: WakeItem['type'], id: unknown, named: Partial<WakeItem>): WakeItem | undefined =>
    isFileId(id)
      ? {
          id,
          type,
          from: '',
          message_id: null,
          execution_id: null,
          room_id: null,
          ...named,
          data,
          delivered_at: now,
          attempts: 0,
        }
      : undefined;
  const { message_id: message, execution_id: execution, room_id: room, next_turn: turn, from } = data;
  switch (event) {
    case 'message.wake':
      return item('message.wake', message, {
        from: slugOf(from),
        ...ids({ message_id: message, execution_id: execution }),
      });
    case 'cue.wake':
      return item('cue.wake', execution, ids({ execution_id: execution, message_id: message }));
    case 'room.turn_ready':
      // However often a turn is delivered, it is one.
      return isFileId(room) && typeof turn === 'number'
        ? item('room.turn_ready', `${room}-${turn}`, { room_id: room })
        : undefined;
    case undefined:
    default:
      return undefined;
  }
}

function ids(given: Partial<Record<'message_id' | 'execution_id' | 'room_id', unknown>>): Partial<WakeItem> {
  return Object.fromEntries(Object.entries(given).map(([key, id]) => [key, isFileId(id) ? id : null]));
}

function slugOf(from: unknown): string {
  const slug = typeof from === 'object' && from !== null && 'slug' in from ? from.slug : undefined;
  return typeof slug === 'string' ? slug : '';
}
