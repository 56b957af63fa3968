import { EVENT_QUEUE_LIMIT } from '@parley/protocol/rooms/limits';
import type { ServerResponse } from 'node:http';
import type { Credential } from '../../wire/caller.ts';
import { SseStream } from '../../platform/streams/sse-stream.ts';
import { spend } from '../limiters.ts';
import { mustNotBePurged, readRoomAs } from '../room/current-rooms.ts';
import type { RoomEvent } from '../service.ts';
import { eventFrame } from './frames.ts';
import type { StreamParts } from './stream-parts.ts';
import { mustBeCursor } from '../conversation/history.ts';

export interface RoomListener {
  readonly roomId: string;
  readonly agent: string;
  readonly credential: Credential;
  /** The last event it has seen; 0 for none. */
  readonly since: number;
}

/**
 * `GET /v1/rooms/{id}/events`: everything that happens in one room, for those who take part in it. Everything that may refuse a
 * listener is done before the response begins.
 */
export async function admitListener(
  { rooms }: StreamParts<RoomEvent>,
  { roomId, agent, since }: RoomListener,
): Promise<void> {
  mustNotBePurged(await readRoomAs(rooms, roomId, agent));
  await mustBeCursor(rooms, roomId, since);
  await spend(rooms.limiters.eventConnects, slotOf(roomId, agent));
}

export async function openRoomStream(
  { topics, face, watch, slots, telemetry }: StreamParts<RoomEvent>,
  { roomId, agent, since, credential }: RoomListener,
  response: ServerResponse,
): Promise<void> {
  const slot = slotOf(roomId, agent);
  await spend(slots, slot);
  telemetry.opened('room');
  const stream = new SseStream(face, response, {
    follows: { ...topics.of(roomId), after: since },
    frame: eventFrame,
    maxBuffered: EVENT_QUEUE_LIMIT,
    isLast: ({ type }) => type === 'room.purged',
    onClosed(reason) {
      slots.release(slot);
      unguard();
      telemetry.closed('room', reason);
    },
  });
  const unguard = watch.guard(credential, () => stream.end());
}

function slotOf(roomId: string, agent: string): string {
  return `${agent} ${roomId}`;
}
