import { isObject, type JsonObject } from '@parley/protocol/json';
import { type Bridge, forgetRoom, isoNow } from './bridge.ts';
import { isFileId } from './kept/private-json.ts';
import { jobFrom, wakeKey } from './wake-job.ts';

/**
 * The server does not know our cursor: what was sent meanwhile is lost to the stream. It is asked which rooms wait, their wakes are
 * put on disk, and only then the cursor is given up. A failure on the way leaves the cursor, so that the server says it again.
 */
export async function recover(bridge: Bridge): Promise<void> {
  const { session, state, log } = bridge;
  state.is('recovery');
  const { actionable, terminal } = await session.call({ path: '/v1/agent/actionable-rooms' });
  for (const { room_id: room } of objectsIn(terminal)) if (isFileId(room)) forgetRoom(bridge, room);
  for (const room of objectsIn(actionable)) recoverRoom(bridge, room);
  state.clearCursor();
  log.info('stream.recovered');
}

function recoverRoom(bridge: Bridge, said: JsonObject): void {
  const { tokens, queue, state, log } = bridge;
  const { room_id: room, next_turn: turn, expires_at: expires, agent_id: agent } = said;
  const token = said['token'] ?? said['room_token'];
  if (!isFileId(room) || typeof token !== 'string') return;
  const job = jobFrom(
    {
      ...said,
      delivery_id: `recovery-${room}-${typeof turn === 'number' ? turn : 'unknown'}`,
      reason: 'replay_recovery',
      occurred_at: isoNow(bridge),
      token_expires_at: expires,
    },
    isoNow(bridge),
  );
  // The token that came along revoked the one in the file.
  tokens.keep(room, { token, expires_at: expires, agent_id: agent });
  if (!job) return;
  const stale = queue.of(room).filter((other) => wakeKey(other) !== wakeKey(job));
  for (const other of stale) queue.drop(other);
  if (state.isCompleted(wakeKey(job)) || queue.covers(job)) return;
  queue.put(job);
  log.info('wake.queued', { delivery_id: job.delivery_id, room_id: room, reason: 'replay_recovery' });
}

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
