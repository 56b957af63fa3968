import { EVENT_QUEUE_LIMIT } from '@parley/protocol/rooms/limits';
import type { ServerResponse } from 'node:http';
import type { SseConnection, SseEnd, SseFace, SseHandlers } from '../../platform/streams/sse.ts';
import type { StreamEnd, StreamSink, Subscription } from '../../platform/streams/subscription.ts';
import type { Topic } from '../../platform/streams/topics.ts';
import type { RoomEvent } from '../service.ts';
import { eventFrame } from './frames.ts';

/** One person's stream: typing frames from outside and, when it follows the room, its events too. */
export class ViewerStream implements SseHandlers, StreamSink<RoomEvent> {
  readonly #connection: SseConnection;
  readonly #onClosed: (reason: SseEnd | StreamEnd) => void;
  #subscription: Subscription<RoomEvent> | undefined;
  #ended: StreamEnd | undefined;

  constructor(face: SseFace, response: ServerResponse, onClosed: (reason: SseEnd | StreamEnd) => void) {
    this.#onClosed = onClosed;
    this.#connection = face.open(response, this);
  }

  get open(): boolean {
    return this.#connection.open;
  }

  get following(): boolean {
    return this.#subscription !== undefined;
  }

  follow({ hub, topic, source }: Topic<RoomEvent>, after: number): void {
    this.#subscription = hub.subscribe(topic, { after, source, sink: this, maxBuffered: EVENT_QUEUE_LIMIT });
  }

  send(frame: Buffer): void {
    this.#connection.send(frame);
  }

  end(): void {
    this.#connection.end();
  }

  /** A room that is over has nothing more to show live. */
  deliver(event: RoomEvent): boolean {
    const more = this.#connection.send(eventFrame(event));
    if (event.type === 'room.closed' || event.type === 'room.purged') this.end();
    return more;
  }

  drained(): void {
    this.#subscription?.resume();
  }

  ended(reason: StreamEnd): void {
    this.#ended = reason;
    if (reason === 'slow') this.#connection.drop();
    else this.#connection.end();
  }

  closed(reason: SseEnd): void {
    this.#subscription?.close();
    this.#onClosed(this.#ended ?? reason);
  }
}
