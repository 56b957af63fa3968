import { EVENT_QUEUE_LIMIT, VIEWER_RECHECK_MS } from '@parley/protocol/rooms/limits';
import type { TypingFrame } from '@parley/protocol/rooms/types';
import type { ServerResponse } from 'node:http';
import { hashSecret } from '../../platform/auth/secrets.ts';
import { SseStream } from '../../platform/streams/sse-stream.ts';
import type { Platform } from '../../platform.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { mustBeOpen, mustNotBePurged, readRoom } from '../room/current-rooms.ts';
import type { RoomEvent } from '../service.ts';
import { eventFrame, typingFrame } from './frames.ts';
import { spend } from '../limiters.ts';
import type { StreamParts } from './stream-parts.ts';
import { admitViewer, mustBeWatching } from '../viewers/viewers.ts';
import { mustBeCursor } from '../conversation/history.ts';

/** Told to all nodes: the viewers of a room are at any of them. */
const OVER = 'rooms.over';

export interface ViewerStreamsOptions
  extends Omit<StreamParts<RoomEvent>, 'watch'>,
    Pick<Platform, 'bus' | 'wheel'> {
  readonly onError: (error: unknown) => void;
}

export interface Viewer {
  readonly roomId: string;
  readonly token: string;
  readonly address: string;
  /** The cursor of one that also wants what is said; undefined for typing alone. */
  readonly messagesSince: number | undefined;
}

/** One person's: typing frames from outside and, when it follows the room, its events too. */
type ViewerStream = SseStream<RoomEvent>;

/** `GET /v1/rooms/{id}/viewer-events`: who is typing right now and, on request, what is said, for people. */
export class ViewerStreams {
  readonly #options: ViewerStreamsOptions;
  readonly #byRoom = new Map<string, Set<ViewerStream>>();
  readonly #leave: (() => void)[];

  constructor(options: ViewerStreamsOptions) {
    this.#options = options;
    const { typing, events } = options.rooms.announced;
    this.#leave = [
      typing.add((frame) => this.#tell(frame)),
      events.add(({ roomId, type }) => {
        if (type === 'room.closed' || type === 'room.purged') options.bus.publish(OVER, roomId);
      }),
      options.bus.subscribe(OVER, (roomId) => this.#endIn(roomId)),
      options.bus.onGap(() => {
        for (const roomId of this.#byRoom.keys()) void options.rooms.typing.look(roomId);
      }),
    ];
  }

  async admit({ roomId, token, address, messagesSince }: Viewer): Promise<void> {
    const { rooms } = this.#options;
    const room = await readRoom(rooms, roomId);
    mustNotBePurged(room);
    await admitViewer(rooms, roomId, { token, address });
    mustBeOpen(room);
    if (messagesSince !== undefined) await mustBeCursor(rooms, roomId, messagesSince);
  }

  async open({ roomId, token, messagesSince }: Viewer, response: ServerResponse): Promise<void> {
    const { rooms, topics, face, wheel, slots, telemetry, onError } = this.#options;
    const slot = hashSecret(token);
    await spend(slots, slot);
    await rooms.typing.look(roomId);
    telemetry.opened('viewer');
    const recheck = wheel.add(VIEWER_RECHECK_MS, () => {
      void this.#check(roomId, token)
        .catch((error: unknown) => (error instanceof RoomsError ? stream.end() : onError(error)))
        .then(() => stream.open && wheel.start(recheck, VIEWER_RECHECK_MS));
    });
    const stream: ViewerStream = new SseStream(face, response, {
      follows: messagesSince === undefined ? undefined : { ...topics.of(roomId), after: messagesSince },
      frame: eventFrame,
      maxBuffered: EVENT_QUEUE_LIMIT,
      // A room that is over has nothing more to show live.
      isLast: ({ type }) => type === 'room.closed' || type === 'room.purged',
      onClosed: (reason) => {
        wheel.cancel(recheck);
        this.#remove(roomId, stream);
        slots.release(slot);
        telemetry.closed('viewer', reason);
      },
    });
    for (const frame of rooms.typing.current(roomId)) stream.send(typingFrame(frame));
    this.#add(roomId, stream);
  }

  close(): void {
    for (const leave of this.#leave) leave();
    for (const streams of this.#byRoom.values()) for (const stream of streams) stream.end();
  }

  /** Throws unless the viewer may watch this room now. A purged room has forgotten its viewers, so it is asked first. */
  async #check(roomId: string, token: string): Promise<void> {
    const { rooms } = this.#options;
    const room = await readRoom(rooms, roomId);
    mustNotBePurged(room);
    await mustBeWatching(rooms, roomId, token);
    mustBeOpen(room);
  }

  #tell(frame: TypingFrame): void {
    const streams = this.#byRoom.get(frame.room_id);
    if (!streams) return;
    const bytes = typingFrame(frame);
    for (const stream of streams) stream.send(bytes);
  }

  /** Those who follow the messages are first given the last of them. */
  #endIn(roomId: string): void {
    for (const stream of this.#byRoom.get(roomId) ?? []) if (!stream.following) stream.end();
  }

  #add(roomId: string, stream: ViewerStream): void {
    const streams = this.#byRoom.get(roomId);
    if (streams) streams.add(stream);
    else this.#byRoom.set(roomId, new Set([stream]));
  }

  #remove(roomId: string, stream: ViewerStream): void {
    const streams = this.#byRoom.get(roomId);
    if (streams?.delete(stream) && streams.size === 0) this.#byRoom.delete(roomId);
  }
}
