import type { Bus } from '../bus/bus.ts';
import { StreamHub, type StreamHubOptions } from './hub.ts';
import type { StreamEvent, StreamSource } from './stream-event.ts';

export interface TopicsOptions<Event extends StreamEvent> extends StreamHubOptions {
  readonly bus: Bus;
  /** What they are of; the names of the topics begin with it. */
  readonly noun: string;
  /** As a `StreamSource` reads, for the thing with this id. */
  readonly read: (id: string, after: number, limit: number) => Promise<readonly Event[]>;
}

/** What it takes to listen to one. */
export interface Topic<Event extends StreamEvent> {
  readonly hub: StreamHub<Event>;
  readonly topic: string;
  readonly source: StreamSource<Event>;
}

/** A topic for each thing of a sort, heard on all nodes. */
export class Topics<Event extends StreamEvent> {
  readonly #options: TopicsOptions<Event>;
  readonly #hub: StreamHub<Event>;
  readonly #bridge: StreamBusBridge;

  constructor(options: TopicsOptions<Event>) {
    this.#options = options;
    this.#hub = new StreamHub(options);
    this.#bridge = new StreamBusBridge(this.#hub, options.bus);
  }

  of(id: string): Topic<Event> {
    const { read } = this.#options;
    const source = { read: (after: number, limit: number) => read(id, after, limit) };
    return { hub: this.#hub, topic: this.#nameOf(id), source };
  }

  /** After its commit. */
  publish(id: string, event: Event): void {
    const topic = this.#nameOf(id);
    this.#hub.publish(topic, event);
    this.#bridge.announce(topic, event.seq);
  }

  /** The same where the event itself is not at hand: whoever listens reads it. */
  hint(id: string, seq: number): void {
    this.#bridge.announce(this.#nameOf(id), seq);
  }

  close(): void {
    this.#bridge.close();
    this.#hub.close();
  }

  #nameOf(id: string): string {
    return `${this.#options.noun}:${id}`;
  }
}

/** Lets the hubs of several nodes hear of each other's commits. The store stays the only place events are read from. */
export class StreamBusBridge {
  readonly #bus: Bus;
  readonly #leaving: readonly (() => void)[];

  constructor(hub: StreamHub<StreamEvent>, bus: Bus) {
    this.#bus = bus;
    const heard = bus.subscribe(SUBJECT, (hint) => {
      const [, seq, topic] = /^(\d+) (.+)$/s.exec(hint) ?? [];
      if (seq !== undefined && topic !== undefined) hub.hint(topic, Number(seq));
    });
    this.#leaving = [heard, bus.onGap(() => hub.hintAll())];
  }

  /** Our own hub hears it too and finds that it has seen the event already. */
  announce(topic: string, seq: number): void {
    this.#bus.publish(SUBJECT, `${seq} ${topic}`);
  }

  close(): void {
    for (const leave of this.#leaving) leave();
  }
}

const SUBJECT = 'streams';
