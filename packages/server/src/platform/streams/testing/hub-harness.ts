import { FakeClock } from '../../../testing/fake-clock.ts';
import { TimerWheel } from '../../timer-wheel.ts';
import { StreamHub } from '../hub.ts';
import type { StreamEvent, StreamSource } from '../stream-event.ts';
import type { StreamSink, Subscription } from '../subscription.ts';

export const TOPIC = 'room:1';
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A store in memory whose answers can be held back, so that a test decides what happens in between. */
class HeldStore implements StreamSource<StreamEvent> {
  readonly events: StreamEvent[] = [];
  reads: number[] = [];
  #gate: Promise<void> | undefined;
  #open: (() => void) | undefined;
  broken = false;

  append(step = 1): StreamEvent {
    const prev = this.events.at(-1)?.seq ?? 0;
    const event = { seq: prev + step, prev };
    this.events.push(event);
    return event;
  }

  hold(): void {
    this.#gate = new Promise((resolve) => (this.#open = resolve));
  }

  async release(): Promise<void> {
    this.#open?.();
    this.#gate = undefined;
    await turn();
  }

  async read(after: number, limit: number): Promise<readonly StreamEvent[]> {
    this.reads.push(after);
    if (this.broken) throw new Error('store is broken');
    const page = this.events.filter(({ seq }) => seq > after).slice(0, limit);
    await this.#gate;
    return page;
  }
}

/** Takes `room` events before it says that it is full. */
export class Listener implements StreamSink<StreamEvent> {
  readonly seen: number[] = [];
  end: string | undefined;
  room: number;
  subscription: Subscription<StreamEvent> | undefined;
  onDeliver: (event: StreamEvent) => void = () => {};

  constructor(room = Number.POSITIVE_INFINITY) {
    this.room = room;
  }

  deliver(event: StreamEvent): boolean {
    this.seen.push(event.seq);
    this.room -= 1;
    this.onDeliver(event);
    return this.room > 0;
  }

  ended(reason: string, cursor: number): void {
    this.end = `${reason} at ${cursor}`;
  }

  drain(room = Number.POSITIVE_INFINITY): void {
    this.room = room;
    this.subscription?.resume();
  }
}

export function setUpHub({ pageSize = 3, before = 0 } = {}) {
  const errors: unknown[] = [];
  const wheel = new TimerWheel(new FakeClock());
  const hub = new StreamHub<StreamEvent>({ wheel, pageSize, onError: (error) => errors.push(error) });
  const store = new HeldStore();
  for (let i = 0; i < before; i++) store.append();
  const listen = (after = 0, room?: number, maxBuffered = 4): Listener => {
    const sink = new Listener(room);
    sink.subscription = hub.subscribe(TOPIC, { after, source: store, sink, maxBuffered });
    return sink;
  };
  const send = (step = 1): void => hub.publish(TOPIC, store.append(step));
  return { hub, store, errors, listen, send };
}
