import { describe, expect, test } from 'vitest';
import type { StreamEvent } from './stream-event.ts';
import { setUpHub, TOPIC, turn } from './testing/hub-harness.ts';

describe('stream hub › backfill, cutover, live', () => {
  test('hands over what came after the cursor, page by page, then what comes', async () => {
    const { listen, send, store } = setUpHub({ before: 8 });
    const listener = listen(2);
    expect(listener.seen).toEqual([]);
    await turn();
    send();
    expect(listener.seen).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect(store.reads).toEqual([2, 5, 8]);
    expect(listener.subscription?.cursor).toBe(9);
  });

  test('neither loses nor repeats what is published while the backlog is read', async () => {
    const { listen, send, store } = setUpHub({ before: 2 });
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

  test('drops a live event that the page already had', async () => {
    const { hub, listen, store } = setUpHub({ before: 2 });
    store.hold();
    const late = store.events[1];
    const listener = listen();
    if (late) hub.publish(TOPIC, late);
    await store.release();
    expect(listener.seen).toEqual([1, 2]);
  });

  test('reads on when more came during a read than it may keep aside', async () => {
    const { listen, send, store } = setUpHub({ before: 1 });
    store.hold();
    const listener = listen(0, undefined, 2);
    for (let i = 0; i < 7; i++) send();
    await store.release();
    expect(listener.seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(listener.end).toBeUndefined();
  });

  test('takes gaps in the sequence as they are', async () => {
    const { listen, send, store } = setUpHub();
    const listener = listen();
    await turn();
    send(7);
    send(100);
    expect(listener.seen).toEqual([7, 107]);
    expect(store.reads).toEqual([0]);
  });

  test('fetches what is missing when events are announced in the wrong order', async () => {
    const { hub, listen, store, send } = setUpHub();
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

  test('reads from the store on a hint, once for all who listen', async () => {
    const { hub, listen, store } = setUpHub();
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

  test('ignores a hint about what it has seen', async () => {
    const { hub, listen, send, store } = setUpHub();
    const listener = listen();
    await turn();
    send();
    hub.hint(TOPIC, 1);
    await turn();
    expect(store.reads).toEqual([0]);
    expect(listener.seen).toEqual([1]);
  });

  test('does not share a page with one who came after a change', async () => {
    const { listen, send, store } = setUpHub({ before: 1 });
    store.hold();
    const early = listen();
    send();
    const late = listen();
    await store.release();
    expect(early.seen).toEqual([1, 2]);
    expect(late.seen).toEqual([1, 2]);
    expect(store.reads).toEqual([0, 0]);
  });

  test('hears a hint that comes during a read', async () => {
    const { hub, listen, store } = setUpHub({ before: 1 });
    store.hold();
    const listener = listen();
    store.append();
    hub.hint(TOPIC);
    await store.release();
    expect(listener.seen).toEqual([1, 2]);
  });

  test('hands every listener the same event object', async () => {
    const { listen, send } = setUpHub();
    const seen = new Set<StreamEvent>();
    for (let i = 0; i < 5; i++) listen().onDeliver = (event) => seen.add(event);
    await turn();
    send();
    expect(seen.size).toBe(1);
  });
});
