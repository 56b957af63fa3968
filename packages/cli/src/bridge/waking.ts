import type { JsonObject } from '@parley/protocol/json';
import { type Bridge, isoNow } from './bridge.ts';
import { callHook } from './hook-call.ts';
import { isPassing, Refusal } from './server-call.ts';
import { startTyping } from './typing.ts';
import { wakeMessage } from './wake-contract.ts';
import { isByHand, type WakeJob, wakeKey } from './wake-job.ts';

export type Waking = 'woken' | 'obsolete';

/** One attempt to hand a wake to the runtime. Throws when it did not get there; the job is then still on disk. */
export async function wake(bridge: Bridge, job: WakeJob, signal: AbortSignal): Promise<Waking> {
  const { queue, state, tokens, session, config } = bridge;
  if (!isByHand(job) && state.isCompleted(wakeKey(job))) return settle(bridge, job, 'obsolete');
  if (!(await isDue(bridge, job))) return settle(bridge, job, 'obsolete');
  const token = await tokens.usable(job.room_id);
  const typing = await startTyping(bridge, job.room_id);
  try {
    // Dropped while we asked: the room was closed, or a later turn came.
    if (!queue.has(job)) return 'obsolete';
    // Whoever finds this after a crash knows that the runtime may be at work for as long as one run may take.
    queue.update({ ...job, called_at: isoNow(bridge) });
    const message = wakeMessage(job, {
      token,
      tokenPath: tokens.files.path(job.room_id),
      apiBaseUrl: config.apiBaseUrl,
      agentId: session.agentId || token.agent_id,
    });
    await callHook(config.hook, message, { clock: bridge.clock, signal });
    return settle(bridge, job, 'woken');
  } finally {
    await typing.stop();
  }
}

/** The key is remembered before the file goes: a crash in between must not wake twice. */
function settle({ queue, state }: Bridge, job: WakeJob, waking: Waking): Waking {
  state.complete(wakeKey(job));
  queue.drop(job);
  return waking;
}

/** Whether it is still this agent's turn. A server that cannot say is not asked. */
async function isDue({ tokens }: Bridge, { room_id: room, ...job }: WakeJob): Promise<boolean> {
  let current: JsonObject;
  try {
    await tokens.usable(room);
  } catch (error) {
    if (error instanceof Refusal && error.isOver) return false;
    throw error;
  }
  try {
    current = await tokens.call(room, { path: `/v1/rooms/${room}/state` });
  } catch (error) {
    if (isPassing(error)) throw error;
    return !(error instanceof Refusal && (error.status === 410 || error.code === 'room_not_found'));
  }
  const { state, next_turn: turn, next_actor_id: actor } = current;
  if (state !== 'ACTIVE') return false;
  if (job.next_turn !== null && turn !== job.next_turn) return false;
  return job.next_actor_id === '' || actor === job.next_actor_id;
}
