import { EVENT_QUEUE_LIMIT } from '@parley/protocol/rooms/limits';
import type { ServerResponse } from 'node:http';
import type { Credential } from '../../wire/caller.ts';
import type { SseFace } from '../../platform/streams/sse.ts';
import { SseStream, type SseStreamOptions } from '../../platform/streams/sse-stream.ts';
import { spend, takeSlot } from '../limiters.ts';
import { mustNotBePurged, readRoomAs } from '../room/current-rooms.ts';
import type { RoomEvent } from '../service.ts';
import type { Guarded } from '../../identity/keys/credential-watch.ts';
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
  await takeSlot(slots, slot);
  telemetry.opened('room');
  const stream: RoomStream = new RoomStream(credential, face, response, {
    ...topics.of(roomId),
    after: since,
    frame: eventFrame,
    maxBuffered: EVENT_QUEUE_LIMIT,
    onClosed(reason) {
      slots.release(slot);
      watch.remove(stream);
      telemetry.closed('room', reason);
    },
  });
  watch.add(stream);
}

class RoomStream extends SseStream<RoomEvent> implements Guarded {
  readonly credential: Credential;

  constructor(
    credential: Credential,
    face: SseFace,
    response: ServerResponse,
    options: SseStreamOptions<RoomEvent>,
  ) {
    super(face, response, options);
    this.credential = credential;
  }

  /** After the last event that a room can have there is nothing to wait for. */
  override deliver(event: RoomEvent): boolean {
    const more = super.deliver(event);
    if (event.type === 'room.purged') this.end();
    return more;
  }

  revoked(): void {
    this.end();
  }
}

function slotOf(roomId: string, agent: string): string {
  return `${agent} ${roomId}`;
}
