import type { ServerResponse } from 'node:http';
import type { Credential } from '../../wire/caller.ts';
import { RETRY_AFTER_3_S } from '../../platform/streams/sse.ts';
import { SseStream } from '../../platform/streams/sse-stream.ts';
import type { TurnWake } from '../service.ts';
import { findDelivery } from '../turn-wakes/delivery-store.ts';
import { spend } from '../limiters.ts';
import * as frames from './frames.ts';
import type { StreamParts } from './stream-parts.ts';
import type { WakeFeeds } from '../../wire/wake-feed.ts';

export interface AgentStreams extends StreamParts<TurnWake> {
  readonly feeds: WakeFeeds;
}

export interface AgentListener {
  readonly agent: string;
  readonly credential: Credential;
  /** The last delivery it acknowledged. */
  readonly cursor: string | undefined;
  /** Only of these rooms; of all when empty. */
  readonly rooms: readonly string[];
  /** What else it wants to be woken by. */
  readonly include: readonly (keyof WakeFeeds)[];
}

/**
 * `GET /v1/agent/stream`: one stream wakes an agent for all its rooms.
 *
 * | cursor                                               | status            | then                         |
 * |------------------------------------------------------|-------------------|------------------------------|
 * | none                                                 | `fresh`           | everything pending, then live |
 * | of this agent, acknowledged, not expired             | `ok`              | the same                     |
 * | unknown, another agent's, unacknowledged or expired  | `replay_required` | one frame says so; the end   |
 *
 * A good cursor only shows that the client's memory is sound. What is pending is sent whatever its position: an earlier
 * delivery may still be unacknowledged when a later one is not.
 */
export async function resumeStatus(
  { rooms: { database, clock } }: AgentStreams,
  { agent, cursor }: AgentListener,
): Promise<frames.ResumeStatus> {
  if (cursor === undefined) return 'fresh';
  const known = await findDelivery(database.read, agent, cursor);
  const sound = known !== undefined && known.ackedAt !== null && known.expiresAt > clock.now();
  return sound ? 'ok' : 'replay_required';
}

export async function openAgentStream(
  streams: AgentStreams,
  listener: AgentListener,
  status: frames.ResumeStatus,
  response: ServerResponse,
): Promise<void> {
  const { rooms, face, slots, telemetry } = streams;
  const { agent, cursor } = listener;
  await spend(slots, agent);
  telemetry.resumed(status);
  const first = RETRY_AFTER_3_S + frames.helloFrame(agent, rooms.clock.now(), status, cursor);
  if (status !== 'replay_required') return follow(streams, listener, first, response);
  // The client cannot close after this frame, so the server does.
  const handlers = { closed: () => slots.release(agent) };
  face.open(response, handlers, first + frames.replayRequiredFrame(agent)).end();
}

function follow(
  { topics, face, watch, slots, telemetry, feeds }: AgentStreams,
  listener: AgentListener,
  first: string,
  response: ServerResponse,
): void {
  const { agent, credential, include } = listener;
  const only = listener.rooms.length > 0 ? new Set(listener.rooms) : undefined;
  telemetry.opened('agent');
  const stream = new SseStream(face, response, {
    follows: { ...topics.of(agent), after: 0 },
    wants: ({ roomId }) => only?.has(roomId) !== false,
    frame(delivery) {
      telemetry.sent();
      return frames.deliveryFrame(delivery);
    },
    first,
    onClosed(reason) {
      slots.release(agent);
      unguard();
      telemetry.closed('agent', reason);
      for (const leave of left) leave();
    },
  });
  const unguard = watch.guard(credential, () => {
    stream.send(frames.reloginRequiredFrame(agent));
    stream.end();
  });
  const left = [...new Set(include)].flatMap((word) => {
    return feeds[word]?.open(agent, (frame) => stream.send(frame)) ?? [];
  });
}
