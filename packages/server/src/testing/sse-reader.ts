import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { EventStreamReader, type StreamEvent } from '@parley/sdk/event-stream-reader';
import { expect } from 'vitest';

export interface ReaderOptions {
  readonly key?: string;
  readonly headers?: Record<string, string>;
  /** The local address to come from. */
  readonly from?: string;
}

export interface Frame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: Record<string, unknown>;
}

/** A client of a server-sent event stream that keeps every byte it got. */
export class SseReader {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Everything received so far. */
  text = '';
  over = false;
  readonly #response: IncomingMessage;
  readonly #events: StreamEvent[] = [];

  private constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding('utf8');
    const cut = new EventStreamReader();
    response.on('data', (chunk: string) => {
      this.text += chunk;
      this.#events.push(...cut.push(chunk));
    });
    response.on('error', () => undefined);
    response.on('close', () => (this.over = true));
  }

  static open(server: { url: string }, path: string, options: ReaderOptions = {}): Promise<SseReader> {
    const { hostname, port } = new URL(server.url);
    const authorization = options.key === undefined ? {} : { authorization: `Bearer ${options.key}` };
    return new Promise((resolve, reject) => {
      const request = get(
        {
          host: hostname,
          port,
          path,
          agent: false,
          headers: { accept: 'text/event-stream', ...authorization, ...options.headers },
          ...(options.from !== undefined && { localAddress: options.from }),
        },
        (response) => resolve(new SseReader(response)),
      );
      request.on('error', reject);
    });
  }

  /** Complete frames that carry data. */
  get frames(): Frame[] {
    return this.#events.map(({ id, event, data }) => ({
      id,
      event,
      data: JSON.parse(data) as Record<string, unknown>,
    }));
  }

  get ids(): number[] {
    return this.frames.flatMap(({ id }) => (id === undefined ? [] : Number(id)));
  }

  get events(): (string | undefined)[] {
    return this.frames.map(({ event }) => event);
  }

  /** The answer of a refusal. */
  async json(): Promise<Record<string, unknown>> {
    await this.ended();
    return JSON.parse(this.text) as Record<string, unknown>;
  }

  async until(condition: (reader: this) => boolean): Promise<this> {
    const came = (): string => {
      if (condition(this)) return 'came';
      return `${this.over ? 'ended before it came' : 'never came'}: ${this.text.slice(-2000)}`;
    };
    // What has ended brings nothing more: whoever follows over a crash goes on at once.
    await expect.poll(came).not.toMatch(/^never came/);
    if (!condition(this)) throw new Error(came());
    return this;
  }

  /** Waits for frames of this event. */
  async event(name: string, count = 1): Promise<this> {
    return await this.until(({ events }) => events.filter((event) => event === name).length >= count);
  }

  async ended(): Promise<this> {
    return await this.until(({ over }) => over);
  }

  close(): void {
    this.#response.destroy();
  }
}
