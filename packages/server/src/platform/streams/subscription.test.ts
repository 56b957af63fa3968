import { describe, expect, test } from 'vitest';
import { type Listener, setUpHub, TOPIC, turn } from './testing/hub-harness.ts';

describe('subscription › slow consumers', () => {
  test('drops one that owes more than its buffer, with its cursor intact', async () => {
    const { hub, listen, send } = setUpHub();
    const slow = listen(0, 1, 4);
    const quick = listen();
    await turn();
    for (let i = 0; i < 5; i++) send();
    expect(slow.end).toBeUndefined();
    send();
    expect(slow.end).toBe('slow at 1');
    expect(slow.seen).toEqual([1]);
    expect(quick.seen).toEqual([1, 2, 3, 4, 5, 6]);
    expect(hub.subscribers).toBe(1);

    const again = listen(1);
    await turn();
    expect(again.seen).toEqual([2, 3, 4, 5, 6]);
  });

  test('goes on in order when it drains in time, again and again', async () => {
    const { listen, send } = setUpHub();
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

  test('does not call a long history slowness: reading only waits', async () => {
    const { listen, send, store } = setUpHub({ before: 10, pageSize: 5 });
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

describe('subscription › ends', () => {
  test('lets everyone go at once when it closes', async () => {
    const { hub, listen, store } = setUpHub({ before: 1 });
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

  test('says nothing to one that left by itself', async () => {
    const { hub, listen, send } = setUpHub();
    const listener = listen();
    await turn();
    listener.subscription?.close();
    listener.subscription?.close();
    send();
    hub.close();
    expect(listener.seen).toEqual([]);
    expect(listener.end).toBeUndefined();
    expect(hub.subscribers).toBe(0);
  });

  test('ends those whose store cannot be read, keeping their cursor', async () => {
    const { errors, hub, listen, store, send } = setUpHub({ before: 2 });
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

  test('ends a listener that throws, and only that one', async () => {
    const { errors, listen, send } = setUpHub();
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

  test('hears what happens while it is handed its backlog', async () => {
    const { listen, send, hub, store } = setUpHub({ before: 2 });
    const talker = listen();
    talker.onDeliver = ({ seq }) => {
      if (seq === 2) send();
    };
    await turn();
    expect(talker.seen).toEqual([1, 2, 3]);
    const hinter = listen(2);
    hinter.onDeliver = ({ seq }) => {
      if (seq !== 3) return;
      store.append();
      hub.hint(TOPIC);
    };
    await turn();
    expect(hinter.seen).toEqual([3, 4]);
    expect(talker.seen).toEqual([1, 2, 3, 4]);
  });

  test('bears a listener that publishes, leaves or subscribes while it is told', async () => {
    const { listen, send, hub } = setUpHub({ before: 2 });
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
