import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { throwLater, TimerWheel } from '../timer-wheel.ts';
import { StreamHub } from './hub.ts';
import { longPoll } from './long-poll.ts';
import type { StreamEvent } from './stream-event.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function setUp() {
  const clock = new FakeClock();
  const hub = new StreamHub<StreamEvent>({ wheel: new TimerWheel(clock), onError: throwLater });
  const events: StreamEvent[] = [];
  const source = {
    reads: 0,
    async read(after: number, limit: number): Promise<readonly StreamEvent[]> {
      source.reads += 1;
      return events.filter(({ seq }) => seq > after).slice(0, limit);
    },
  };
  const store = (): StreamEvent => {
    const prev = events.at(-1)?.seq ?? 0;
    const event = { seq: prev + 1, prev };
    events.push(event);
    return event;
  };
  const poll = (after: number, { waitMs = 50_000, limit = 10, signal = new AbortController().signal } = {}) =>
    longPoll(hub, { topic: 't', after, source, limit, waitMs, signal });
  return { clock, hub, source, store, poll };
}

describe('long poll', () => {
  test('answers at once with what is there, up to its limit', async () => {
    const { poll, store, hub } = setUp();
    for (let i = 0; i < 5; i++) store();
    const { events, reason } = await poll(1, { limit: 3 });
    expect(events.map(({ seq }) => seq)).toEqual([2, 3, 4]);
    expect(reason).toBe('event');
    expect(hub.waiters.parked).toBe(0);
  });

  test('waits for the next event', async () => {
    const { poll, store, hub } = setUp();
    const answer = poll(0);
    await turn();
    expect(hub.waiters.parked).toBe(1);
    hub.publish('t', store());
    expect(await answer).toMatchObject({ events: [{ seq: 1 }], reason: 'event' });
    expect(hub.waiters.parked).toBe(0);
  });

  test('does not miss an event that is committed while it looks', async () => {
    const { poll, store, hub, source } = setUp();
    const answer = poll(0);
    // The first read has taken its snapshot already; the poll must notice all the same.
    expect(source.reads).toBe(1);
    hub.publish('t', store());
    expect(await answer).toMatchObject({ events: [{ seq: 1 }] });
  });

  test('answers empty when the time is over, counted from the start', async () => {
    const { clock, poll, hub } = setUp();
    let result: unknown;
    void poll(0, { waitMs: 10_000 }).then((answer) => (result = answer));
    await clock.advance(6000);
    hub.hint('t');
    await clock.advance(3900);
    expect(result).toBeUndefined();
    await clock.advance(500);
    expect(result).toEqual({ events: [], reason: 'timeout' });
    expect(hub.waiters.parked).toBe(0);
  });

  test('answers at once when it may not wait', async () => {
    const { poll, hub } = setUp();
    expect(await poll(0, { waitMs: 0 })).toEqual({ events: [], reason: 'timeout' });
    expect(hub.waiters.parked).toBe(0);
  });

  test('is not woken by events at or below its cursor', async () => {
    const { poll, store, hub, source } = setUp();
    const answer = poll(2);
    await turn();
    hub.publish('t', store());
    hub.publish('t', store());
    await turn();
    expect(source.reads).toBe(1);
    hub.publish('t', store());
    expect(await answer).toMatchObject({ events: [{ seq: 3 }] });
  });

  test('leaves its place at once when the client goes', async () => {
    const { poll, hub } = setUp();
    const client = new AbortController();
    const answer = poll(0, { signal: client.signal });
    await turn();
    client.abort();
    expect(hub.waiters.parked).toBe(0);
    expect(await answer).toEqual({ events: [], reason: 'aborted' });
    expect(await poll(0, { signal: client.signal })).toEqual({ events: [], reason: 'aborted' });
  });

  test('ends with the server', async () => {
    const { poll, hub } = setUp();
    const answer = poll(0);
    await turn();
    hub.close();
    expect(await answer).toEqual({ events: [], reason: 'ended' });
  });

  test('lets go of its place when the store fails', async () => {
    const { hub } = setUp();
    const source = { read: () => Promise.reject(new Error('store is broken')) };
    const poll = longPoll(hub, { topic: 't', after: 0, source, limit: 1, waitMs: 1000 });
    await expect(poll).rejects.toThrow('store is broken');
    expect(hub.waiters.parked).toBe(0);
  });
});
