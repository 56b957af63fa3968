import type { ServerResponse } from 'node:http';
import { MAX_PARKED_POLLS, SSE_COMMENT_INTERVAL_MS } from '@parley/protocol/channels/limits';
import { StreamHub, type StreamHubOptions } from '../platform/streams/hub.ts';
import { SseFace } from '../platform/streams/sse.ts';
import { framedOnce, sseFrame } from '../platform/streams/sse-frame.ts';
import { SseStream } from '../platform/streams/sse-stream.ts';
import type { KeptEvent } from './channel.ts';
import type { ChannelError } from './errors.ts';
import type { ChannelReader, ChannelStore } from './store.ts';

type Stream = SseStream<KeptEvent>;

const frame = framedOnce(({ seq, json }: KeptEvent) => sseFrame({ id: seq, data: json }));

/** Open event streams. Who has one open is present, as with a parked poll; an ending channel says why. */
export class ChannelStreams {
  readonly #store: ChannelStore;
  readonly #hub: StreamHub<KeptEvent>;
  readonly #face: SseFace;
  readonly #byChannel = new Map<string, Map<Stream, ChannelReader>>();

  constructor({ store, wheel, onError }: StreamHubOptions & { store: ChannelStore }) {
    this.#store = store;
    this.#hub = new StreamHub({ wheel, onError });
    this.#face = new SseFace({ wheel, keepaliveMs: SSE_COMMENT_INTERVAL_MS });
  }

  open(reader: ChannelReader, since: number, response: ServerResponse): void {
    const { channelId } = reader;
    const streams = this.#byChannel.get(channelId) ?? new Map<Stream, ChannelReader>();
    const own = [...streams].filter(([, other]) => other.memberKey === reader.memberKey);
    if (own.length >= MAX_PARKED_POLLS) own[0]?.[0].end();
    const stream: Stream = new SseStream(this.#face, response, {
      follows: {
        hub: this.#hub,
        topic: channelId,
        after: since - 1,
        source: { read: async (after, limit) => await this.#store.events(channelId, after, limit) },
      },
      frame,
      onClosed: () => this.#forget(reader, stream),
    });
    streams.set(stream, reader);
    this.#byChannel.set(channelId, streams);
    void this.#store.waiting(reader, 1);
  }

  publish(channelId: string, event: KeptEvent): void {
    if (this.#byChannel.has(channelId)) this.#hub.publish(channelId, event);
  }

  /** Who has left hears of it, and of nothing after it. */
  endOf(channelId: string, memberKey: string): void {
    for (const [stream, reader] of this.#byChannel.get(channelId) ?? []) {
      if (reader.memberKey === memberKey) stream.end();
    }
  }

  /** The member has more streams than it may, and this is the oldest of them. */
  displace(channelId: string, waitId: string): void {
    for (const [stream, reader] of this.#byChannel.get(channelId) ?? []) {
      if (reader.waitId === waitId) stream.end();
    }
  }

  /** The last frame is named, so that it is never taken for an event of the channel. */
  end(channelId: string, error: ChannelError): void {
    for (const stream of this.#byChannel.get(channelId)?.keys() ?? []) {
      stream.send(sseFrame({ event: 'end', data: JSON.stringify(error.body()) }));
      stream.end();
    }
  }

  close(): void {
    this.#hub.close();
  }

  #forget(reader: ChannelReader, stream: Stream): void {
    const streams = this.#byChannel.get(reader.channelId);
    if (!streams?.delete(stream)) return;
    if (streams.size === 0) this.#byChannel.delete(reader.channelId);
    void this.#store.waiting(reader, -1);
  }
}
