import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { TimerWheel } from '../timer-wheel.ts';
import { StreamHub } from './hub.ts';
import type { StreamEvent, StreamSource } from './stream-event.ts';
import type { StreamSink, Subscription } from './subscription.ts';

const TOPIC = 'room:1';
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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
class Listener implements StreamSink<StreamEvent> {
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

function setUp({ pageSize = 3, before = 0 } = {}) {
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

describe('stream hub › backfill, cutover, live', () => {
  it('hands over what came after the cursor, page by page, then what comes', async () => {
    const { listen, send, store } = setUp({ before: 8 });
    const listener = listen(2);
    expect(listener.seen).toEqual([]);
    await turn();
    send();
    expect(listener.seen).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect(store.reads).toEqual([2, 5, 8]);
    expect(listener.subscription?.cursor).toBe(9);
  });

  it('neither loses nor repeats what is published while the backlog is read', async () => {
    const { listen, send, store } = setUp({ before: 2 });
    store.hold();
    const listener = listen();
    send();
    send();
    expect(listener.seen).toEqual([]);
    await store.release();
    expect(listener.seen).toEqual([1, 2, 3, 4]);
    send();
    expect(listener.seen).toEqual([1, 2, 3, 4, 5]);
  });

  it('drops a live event that the page already had', async () => {
    const { hub, listen, store } = setUp({ before: 2 });
    store.hold();
    const late = store.events[1];
    const listener = listen();
    if (late) hub.publish(TOPIC, late);
    await store.release();
    expect(listener.seen).toEqual([1, 2]);
  });

  it('reads on when more came during a read than it may keep aside', async () => {
    const { listen, send, store } = setUp({ before: 1 });
    store.hold();
    const listener = listen(0, undefined, 2);
    for (let i = 0; i < 7; i++) send();
    await store.release();
    expect(listener.seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(listener.end).toBeUndefined();
  });

  it('takes gaps in the sequence as they are', async () => {
    const { listen, send, store } = setUp();
    const listener = listen();
    await turn();
    send(7);
    send(100);
    expect(listener.seen).toEqual([7, 107]);
    expect(store.reads).toEqual([0]);
  });

  it('fetches what is missing when events are announced in the wrong order', async () => {
    const { hub, listen, store, send } = setUp();
    const listener = listen();
    await turn();
    const first = store.append(5);
    const second = store.append(5);
    hub.publish(TOPIC, second);
    hub.publish(TOPIC, first);
    await turn();
    expect(listener.seen).toEqual([5, 10]);
    send();
    expect(listener.seen).toEqual([5, 10, 11]);
  });

  it('reads from the store on a hint, once for all who listen', async () => {
    const { hub, listen, store } = setUp();
    const listeners = [listen(), listen(), listen()];
    await turn();
    const before = store.reads.length;
    store.append();
    store.append();
    hub.hint(TOPIC);
    await turn();
    for (const { seen } of listeners) expect(seen).toEqual([1, 2]);
    expect(store.reads.length - before).toBe(1);
  });

  it('ignores a hint about what it has seen', async () => {
    const { hub, listen, send, store } = setUp();
    const listener = listen();
    await turn();
    send();
    hub.hint(TOPIC, 1);
    await turn();
    expect(store.reads).toEqual([0]);
    expect(listener.seen).toEqual([1]);
  });

  it('does not share a page with one who came after a change', async () => {
    const { listen, send, store } = setUp({ before: 1 });
    store.hold();
    const early = listen();
    send();
    const late = listen();
    await store.release();
    expect(early.seen).toEqual([1, 2]);
    expect(late.seen).toEqual([1, 2]);
    expect(store.reads).toEqual([0, 0]);
  });

  it('hears a hint that comes during a read', async () => {
    const { hub, listen, store } = setUp({ before: 1 });
    store.hold();
    const listener = listen();
    store.append();
    hub.hint(TOPIC);
    await store.release();
    expect(listener.seen).toEqual([1, 2]);
  });

  it('hands every listener the same event object', async () => {
    const { listen, send } = setUp();
    const seen = new Set<StreamEvent>();
    for (let i = 0; i < 5; i++) listen().onDeliver = (event) => seen.add(event);
    await turn();
    send();
    expect(seen.size).toBe(1);
  });
});

describe('stream hub › slow consumers', () => {
  it('drops one that owes more than its buffer, with its cursor intact', async () => {
    const { hub, listen, send } = setUp();
    const slow = listen(0, 1, 4);
    const quick = listen();
    await turn();
    for (let i = 0; i < 5; i++) send();
    expect(slow.end).toBeUndefined();
    send();
    expect(slow.end).toBe('slow at 1');
    expect(slow.seen).toEqual([1]);
    expect(quick.seen).toEqual([1, 2, 3, 4, 5, 6]);
    expect(hub.subscribersOf(TOPIC)).toBe(1);

    const again = listen(1);
    await turn();
    expect(again.seen).toEqual([2, 3, 4, 5, 6]);
  });

  it('goes on in order when it drains in time, again and again', async () => {
    const { listen, send } = setUp();
    const listener = listen(0, 1, 4);
    await turn();
    for (let round = 0; round < 50; round++) {
      send();
      send();
      listener.drain(2);
    }
    listener.drain();
    expect(listener.end).toBeUndefined();
    expect(listener.seen).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  });

  it('does not call a long history slowness: reading only waits', async () => {
    const { listen, send, store } = setUp({ before: 10, pageSize: 5 });
    const listener = listen(0, 2, 4);
    await turn();
    for (let i = 0; i < 20; i++) send();
    expect(listener.seen).toEqual([1, 2]);
    expect(store.reads).toEqual([0]);
    for (let i = 0; i < 20; i++) {
      listener.drain(3);
      await turn();
    }
    expect(listener.end).toBeUndefined();
    expect(listener.seen).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  });
});

describe('stream hub › ends', () => {
  it('hands over what is left before it ends a topic', async () => {
    const { hub, listen, send, store } = setUp({ before: 1 });
    const live = listen();
    await turn();
    store.hold();
    const reading = listen();
    const full = listen(1, 1);
    send();
    hub.end(TOPIC, 'purged');
    expect(live.end).toBe('purged at 2');
    expect(reading.end).toBeUndefined();
    await store.release();
    expect(reading.seen).toEqual([1, 2]);
    expect(reading.end).toBe('purged at 2');
    expect(full.end).toBeUndefined();
    full.drain();
    expect(full.end).toBe('purged at 2');
    expect(hub.subscribers).toBe(0);
  });

  it('lets everyone go at once when it closes', async () => {
    const { hub, listen, store } = setUp({ before: 1 });
    const live = listen();
    await turn();
    store.hold();
    const reading = listen();
    hub.close();
    await store.release();
    expect([live.end, reading.end]).toEqual(['closing at 1', 'closing at 0']);
    expect(reading.seen).toEqual([]);
    expect(hub.subscribers).toBe(0);
  });

  it('says nothing to one that left by itself', async () => {
    const { hub, listen, send } = setUp();
    const listener = listen();
    await turn();
    listener.subscription?.close();
    listener.subscription?.close();
    send();
    hub.end(TOPIC, 'purged');
    expect(listener.seen).toEqual([]);
    expect(listener.end).toBeUndefined();
    expect(hub.subscribers).toBe(0);
  });

  it('ends those whose store cannot be read, keeping their cursor', async () => {
    const { errors, hub, listen, store, send } = setUp({ before: 2 });
    const listener = listen();
    await turn();
    store.broken = true;
    hub.hint(TOPIC);
    await turn();
    expect(listener.end).toBe('failed at 2');
    expect(errors).toEqual([new Error('store is broken')]);
    store.broken = false;
    const again = listen(2);
    await turn();
    send();
    expect(again.seen).toEqual([3]);
  });

  it('ends a listener that throws, and only that one', async () => {
    const { errors, listen, send } = setUp();
    const broken = listen();
    const fine = listen();
    broken.onDeliver = () => {
      throw new Error('broken listener');
    };
    await turn();
    send();
    expect(broken.end).toBe('failed at 1');
    expect(fine.seen).toEqual([1]);
    expect(errors).toEqual([new Error('broken listener')]);
  });

  it('bears a listener that publishes, leaves or subscribes while it is told', async () => {
    const { listen, send, hub } = setUp({ before: 2 });
    const leaver = listen();
    leaver.onDeliver = () => leaver.subscription?.close();
    const talker = listen();
    talker.onDeliver = ({ seq }) => {
      if (seq === 3) send();
    };
    const host = listen();
    const guests: Listener[] = [];
    host.onDeliver = ({ seq }) => void (seq === 3 && guests.push(listen()));
    await turn();
    send();
    await turn();
    expect(leaver.seen).toEqual([1]);
    expect(talker.seen).toEqual([1, 2, 3, 4]);
    expect(host.seen).toEqual([1, 2, 3, 4]);
    expect(guests.map(({ seen }) => seen)).toEqual([[1, 2, 3, 4]]);
    expect(hub.subscribers).toBe(3);
  });
});
