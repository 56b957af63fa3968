import { type JsonObject, parsedObject } from '@parley/protocol/json';
import type { StreamEvent } from '@parley/sdk/event-stream-reader';
import { type Bridge, forgetRoom, isoNow } from './bridge.ts';
import { isFileId } from './kept/private-json.ts';
import { recover } from './recovery.ts';
import { Refusal } from './server-call.ts';
import type { RoomToken } from './kept/token-files.ts';
import { jobFrom, type WakeJob, wakeKey } from './wake-job.ts';

/**
 * What a frame leads to:
 *
 * | frame                                  | done                                                   | then      |
 * |----------------------------------------|--------------------------------------------------------|-----------|
 * | `stream.hello`                         | the agent's id is kept; a lost cursor is recovered     | go on, or `again` |
 * | `stream.replay_required`               | recovered                                              | `again`   |
 * | `auth.relogin_required`                | logged in                                              | `again`   |
 * | `room.turn_ready`                      | token file, queue file, acknowledgement, cursor        | `delivered` |
 * | `room.closed`, `room.purged`           | files of the room removed, acknowledgement, cursor     | `delivered` |
 * | anything else                          | nothing                                                | go on     |
 *
 * Whatever throws ends the connection. The order of the steps is the guarantee: a crash between any two of them leaves either an
 * unacknowledged delivery, which the server repeats, or a job on disk.
 */
export type FrameOutcome = 'delivered' | 'ignored' | 'again';

export async function handleFrame(bridge: Bridge, frame: StreamEvent): Promise<FrameOutcome> {
  const said = payloadOf(frame);
  switch (frame.event) {
    case 'stream.hello':
      return await greeted(bridge, said);
    case 'stream.replay_required':
      await recover(bridge);
      return 'again';
    case 'auth.relogin_required':
      await bridge.session.renew(bridge.session.token);
      return 'again';
    case 'room.turn_ready':
      return await turnReady(bridge, said);
    case 'room.closed':
    case 'room.purged':
      return await roomOver(bridge, said);
    case undefined:
    default:
      return 'ignored';
  }
}

async function greeted(bridge: Bridge, said: JsonObject): Promise<FrameOutcome> {
  const { agent_id: agent, resume_status: status } = said;
  if (isFileId(agent)) bridge.session.isAgent(agent);
  bridge.log.info('stream.connected', { status: String(status) });
  if (status !== 'replay_required') return 'ignored';
  await recover(bridge);
  return 'again';
}

async function turnReady(bridge: Bridge, said: JsonObject): Promise<FrameOutcome> {
  const { queue, state, log } = bridge;
  const job = jobFrom(said, isoNow(bridge));
  if (!job) {
    log.warn('delivery.without_ids');
    return 'ignored';
  }
  const { delivery_id, room_id } = job;
  if (!state.isCompleted(wakeKey(job)) && !queue.covers(job)) {
    const token = await tokenFor(bridge, job, said);
    if (token) {
      queue.put({ ...job, token_expires_at: token.expires_at });
      log.info('wake.queued', { delivery_id, room_id });
    }
  }
  await acknowledge(bridge, delivery_id);
  return 'delivered';
}

/** Undefined when there is nothing to be done in the room any more. */
async function tokenFor(
  { tokens, queue, log }: Bridge,
  { delivery_id, room_id }: WakeJob,
  { room_token: token, expires_at: expires, agent_id: agent }: JsonObject,
): Promise<RoomToken | undefined> {
  if (typeof token === 'string' && token !== '') {
    return tokens.keep(room_id, { token, expires_at: expires, agent_id: agent });
  }
  try {
    return await tokens.mint(room_id);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.isOver) {
      tokens.files.remove(room_id);
      queue.dropRoom(room_id);
    } else if (error.status !== 403) throw error;
    log.info('wake.not_possible', { delivery_id, room_id, status: error.status });
    return undefined;
  }
}

async function roomOver(bridge: Bridge, said: JsonObject): Promise<FrameOutcome> {
  const { delivery_id: delivery, room_id: room } = said;
  if (!isFileId(delivery) || !isFileId(room)) {
    bridge.log.warn('delivery.without_ids');
    return 'ignored';
  }
  forgetRoom(bridge, room);
  bridge.log.info('room.over', { delivery_id: delivery, room_id: room });
  await acknowledge(bridge, delivery);
  return 'delivered';
}

/** One that the server no longer knows needs no acknowledgement, and is no place to resume from. */
async function acknowledge({ session, state, log }: Bridge, delivery: string): Promise<void> {
  try {
    const body = { delivery_id: delivery };
    await session.call({ method: 'POST', path: '/v1/agent/stream/ack', body });
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
    log.info('delivery.unknown', { delivery_id: delivery });
    return;
  }
  state.acknowledged(delivery);
}

/** The delivery's id stands in the frame, and again in its data. */
export function payloadOf({ data, id }: StreamEvent): JsonObject {
  const said = parsedObject(data);
  return said ? { ...(id !== undefined && { delivery_id: id }), ...said } : {};
}
