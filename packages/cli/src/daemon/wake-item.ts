import { isObject, type JsonObject } from '@parley/protocol/json';
import { isFileId } from '../bridge/kept/private-json.ts';
import type { ProcessNote } from './process-note.ts';
import type { Named } from './receipts.ts';

export type WakeType = 'message.wake' | 'cue.wake' | 'handoff.wake' | 'room.turn_ready' | 'bridge.test';

/**
 * A wake of any kind, from the frame to the end of the run it started:
 *
 * | on disk                     | means                                                  | found after a crash                          |
 * |-----------------------------|--------------------------------------------------------|----------------------------------------------|
 * | nothing but the item        | delivered: it waits                                    | it is started                                |
 * | `starting_at`, `run_id`     | it is being started; whether it was is not known       | if it runs it is waited for, else it waits again |
 * | `invoked_at`, `process`     | invoked: the agent was started, or told                | the same                                     |
 * | `resumed_at`                | resumed: a good end, or the agent says that it is at it | the same                                    |
 * | only under `ended`          | over, with an outcome                                  | it never starts the agent again              |
 */
export interface WakeItem {
  /** Of the message, else of the execution, the handoff or the turn: one thing wakes once. */
  readonly id: string;
  readonly type: WakeType;
  /** Who caused it, as `slug@owner`; empty where the server does not say. */
  readonly from: string;
  readonly message_id: string | null;
  readonly execution_id: string | null;
  readonly handoff_id: string | null;
  readonly room_id: string | null;
  /** What the server sent, as it came. Others wrote it: it is data, and only ever handed over as such. */
  readonly data: JsonObject;
  /** A message itself: what woke us shows the beginning of it only. */
  readonly thing?: JsonObject;
  readonly delivered_at: string;
  readonly attempts: number;
  /** How often a bridge ended in the middle of it. */
  readonly interruptions?: number;
  readonly next_attempt_at?: string;
  readonly starting_at?: string;
  /** Of this start alone: the program has it in its environment. */
  readonly run_id?: string;
  readonly invoked_at?: string;
  readonly resumed_at?: string;
  readonly process?: ProcessNote;
  readonly last_error?: string;
}

type Parts = Partial<Pick<WakeItem, 'from' | 'message_id' | 'execution_id' | 'handoff_id' | 'room_id'>>;

/** Undefined for what is no wake, or has ids that no server of ours gives. `owner`: of the agent. */
export function itemFrom(
  event: string | undefined,
  data: JsonObject,
  now: string,
  owner: string,
): WakeItem | undefined {
  const item = (type: WakeType, id: unknown, parts: Parts): WakeItem | undefined =>
    isFileId(id) ? newItem(type, id, data, now, parts) : undefined;
  const { next_turn: turn, sender_peer: peer } = data;
  const message = idIn(data, 'message_id');
  const execution = idIn(data, 'execution_id');
  const handoff = idIn(data, 'handoff_id');
  const room = idIn(data, 'room_id');
  switch (event) {
    case 'message.wake':
      return item(event, message, {
        from: slugOf(data['from']),
        message_id: message,
        execution_id: execution,
      });
    // A cue or a handoff may come as a message, too: that is one wake.
    case 'cue.wake':
      return item(event, execution && (message ?? execution), {
        execution_id: execution,
        message_id: message,
      });
    case 'handoff.wake':
      return item(event, handoff && (message ?? handoff), {
        from: typeof peer === 'string' && owner !== '' ? `${peer}@${owner}` : '',
        handoff_id: handoff,
        message_id: message,
      });
    case 'room.turn_ready':
      // However often a turn is delivered, it is one.
      return typeof turn === 'number' ? item(event, room && `${room}-${turn}`, { room_id: room }) : undefined;
    case undefined:
    default:
      return undefined;
  }
}

/** One that a person asks for, to see whether the agent starts. */
export const testItem = (id: string, now: string): WakeItem => newItem('bridge.test', id, {}, now, {});

function newItem(type: WakeType, id: string, data: JsonObject, now: string, parts: Parts): WakeItem {
  return {
    id,
    type,
    from: '',
    message_id: null,
    execution_id: null,
    handoff_id: null,
    room_id: null,
    ...parts,
    data,
    delivered_at: now,
    attempts: 0,
  };
}

/** As it waits: nothing is known of a start. */
export function notStarted(item: WakeItem): WakeItem {
  const { starting_at: _starting, run_id: _run, invoked_at: _invoked, process: _process, ...rest } = item;
  return rest;
}

/** What the server calls it in receipts; nothing for what never came from there. The message of a handoff has a sender who looks. */
export function namesOf(item: WakeItem): Named[] {
  const { type, message_id: message, execution_id: execution, handoff_id: handoff } = item;
  const asMessage = message === null ? [] : [{ kind: 'message', id: message }];
  if (type === 'message.wake') return asMessage;
  if (type === 'cue.wake' && execution !== null) return [{ kind: 'cue', id: execution }];
  if (type === 'handoff.wake' && handoff !== null) return [{ kind: 'handoff', id: handoff }, ...asMessage];
  return type === 'room.turn_ready' ? [{ kind: 'room', id: item.id }] : [];
}

/** As a file says it; undefined for one that is none, or that was put under another name. */
export function storedItem(value: JsonObject, name: string): WakeItem | undefined {
  const { id, type, data, delivered_at: at } = value;
  const isWhole = isFileId(id) && typeof type === 'string' && typeof at === 'string' && isObject(data);
  if (!isWhole || name !== `${id}.json`) return undefined;
  // Everything else is as we wrote it.
  return value as unknown as WakeItem;
}

function idIn(data: JsonObject, key: string): string | null {
  const id = data[key];
  return isFileId(id) ? id : null;
}

function slugOf(from: unknown): string {
  const slug = isObject(from) ? from['slug'] : undefined;
  return typeof slug === 'string' ? slug : '';
}
