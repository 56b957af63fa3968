import { expect, test } from 'vitest';
import { describeEachDatabase, type OpenTestDatabase } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { MemoryBus } from '../bus/memory-bus.ts';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrations.ts';
import { systemRandom } from '../ids.ts';
import { TimerWheel } from '../timer-wheel.ts';
import { StreamBusBridge } from './topics.ts';
import { EventLog, type LoggedEvent } from './event-log.ts';
import { StreamHub } from './hub.ts';
import { streamMigrations } from './migrations.ts';
import type { StreamSink, Subscription } from './subscription.ts';

const clock = new FakeClock();
const unexpected = (error: unknown): void => {
  throw error;
};

interface Node {
  db: Database;
  hub: StreamHub<LoggedEvent>;
  log: EventLog;
  append: (topic: string, value: object) => Promise<number>;
}

function nodeOn(db: Database, bus = new MemoryBus(() => {})): Node {
  const hub = new StreamHub<LoggedEvent>({ wheel: new TimerWheel(clock), pageSize: 7, onError: unexpected });
  const bridge = new StreamBusBridge(hub, bus);
  const log = new EventLog({
    db,
    hub,
    random: systemRandom,
    announce: (topic, seq) => bridge.announce(topic, seq),
  });
  return {
    db,
    hub,
    log,
    append: (topic, value) => db.write((tx) => log.append(tx, topic, value, clock.now())),
  };
}

async function setUp(open: OpenTestDatabase): Promise<Node> {
  const db = await open();
  await migrate(db, [streamMigrations], () => 0);
  return nodeOn(db);
}

class Collector implements StreamSink<LoggedEvent> {
  readonly seen: number[] = [];
  subscription: Subscription<LoggedEvent> | undefined;
  end: string | undefined;
  full: (seq: number) => boolean = () => false;

  join({ hub, log }: Node, topic: string, after: number, maxBuffered = 64): this {
    this.subscription = hub.subscribe(topic, { after, source: log.source(topic), sink: this, maxBuffered });
    return this;
  }

  deliver(event: LoggedEvent): boolean {
    this.seen.push(event.seq);
    return !this.full(event.seq);
  }

  ended(reason: string): void {
    this.end = reason;
  }

  async reaches(seq: number): Promise<void> {
    const deadline = performance.now() + 30_000;
    while ((this.seen.at(-1) ?? 0) < seq) {
      if (performance.now() > deadline) throw new Error(`stopped at ${this.seen.at(-1)}, waiting for ${seq}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const after = (seqs: readonly number[], cursor: number): number[] => seqs.filter((seq) => seq > cursor);

describeEachDatabase('event log', (open, { dialect, location }) => {
  test('keeps the events of a topic in order, each naming the one before it', async () => {
    const { append, log } = await setUp(open);
    const first = await append('room:1', { type: 'a', text: 'two\nlines \u2028' });
    const other = await append('room:2', { type: 'b' });
    const second = await append('room:1', { type: 'c' });
    expect(first).toBeLessThan(other);
    expect(other).toBeLessThan(second);
    const events = await log.read('room:1', 0, 10);
    expect(events.map((event) => ({ ...event }))).toEqual([
      {
        seq: first,
        prev: 0,
        topic: 'room:1',
        at: clock.now(),
        data: '{"type":"a","text":"two\\nlines \u2028"}',
      },
      { seq: second, prev: first, topic: 'room:1', at: clock.now(), data: '{"type":"c"}' },
    ]);
    expect(await log.read('room:1', first, 10)).toHaveLength(1);
    expect(await log.read('room:1', 0, 1)).toHaveLength(1);
    expect(await log.read('room:1', second, 10)).toEqual([]);
  });

  test('keeps the newest of each topic, and whoever was away for longer goes on with the oldest of them', async () => {
    const { db, hub } = await setUp(open);
    // Every fourth time it is swept, whoever's turn that is.
    let drawn = 0;
    const random = { unit: () => (drawn++ % 4 === 3 ? 0 : 0.5) };
    const log = new EventLog({ db, hub, random, kept: 20 });
    const append = (topic: string) => db.write((tx) => log.append(tx, topic, {}, 0));
    const quiet = await append('quiet');
    const seqs: number[] = [];
    for (let count = 0; count < 103; count++) seqs.push(await append('busy'));
    const kept = await log.read('busy', 0, 1_000);
    expect(kept).toHaveLength(20);
    const newest = seqs.toSorted((a, b) => a - b).slice(-kept.length);
    expect(kept.map(({ seq }) => seq)).toEqual(newest);
    expect(await log.read('quiet', 0, 10)).toHaveLength(1);
    const late = new Collector().join({ db, hub, log, append }, 'busy', quiet);
    await late.reaches(newest.at(-1) ?? 0);
    const next = await append('busy');
    expect(next).toBeGreaterThan(newest.at(-1) ?? 0);
    await late.reaches(next);
    expect(late.seen).toEqual([...newest, next]);
  });

  test('tells listeners nothing of a write that was rolled back, and nothing before the commit', async () => {
    const node = await setUp(open);
    const listener = new Collector().join(node, 'room:1', 0);
    const failing = node.db.write(async (tx) => {
      await node.log.append(tx, 'room:1', { type: 'never' }, 0);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    let seenInside: number[] = [];
    const seq = await node.db.write(async (tx) => {
      const made = await node.log.append(tx, 'room:1', { type: 'a' }, 0);
      seenInside = [...listener.seen];
      return made;
    });
    await listener.reaches(seq);
    expect(seenInside).toEqual([]);
    expect(listener.seen).toEqual([seq]);
  });

  test('50 who join at random cursors while others write see each later event once and in order', async () => {
    const node = await setUp(open);
    const topics = ['room:1', 'room:2', 'room:3'];
    for (let i = 0; i < 30; i++) await node.append(topics[i % 3] ?? '', { i });

    const listeners: { topic: string; cursor: number; collector: Collector }[] = [];
    const joining = { done: false };
    const writer = async (id: number): Promise<void> => {
      for (let i = 0; i < 30 || !joining.done; i++) {
        // Some writes report two things.
        const touched = [
          topics[(id + i) % 3] ?? '',
          ...(i % 5 === 0 ? [topics[(id + i * 2) % 3] ?? ''] : []),
        ];
        await node.db.write(async (tx) => {
          for (const topic of touched.toSorted()) await node.log.append(tx, topic, { id, i }, 0);
        });
      }
    };
    const joiner = async (): Promise<void> => {
      for (let i = 0; i < 50; i++) {
        const topic = topics[i % 3] ?? '';
        const known = await node.log.read(topic, 0, 1000);
        const cursor = known[Math.floor((known.length * ((i * 37) % 50)) / 50)]?.seq ?? 0;
        listeners.push({ topic, cursor, collector: new Collector().join(node, topic, cursor, 8) });
      }
    };
    const writers = Promise.all(Array.from({ length: 6 }, (_, id) => writer(id)));
    await joiner();
    joining.done = true;
    await writers;

    for (const { topic, cursor, collector } of listeners) {
      const seqs = (await node.log.read(topic, 0, 10_000)).map(({ seq }) => seq);
      await collector.reaches(seqs.at(-1) ?? 0);
      expect(collector.seen).toEqual(after(seqs, cursor));
    }
    expect(node.hub.subscribers).toBe(50);
  });

  test('many writers to several topics at once: the sequences of each topic form one unbroken chain', async () => {
    const node = await setUp(open);
    const topics = ['a', 'b', 'c', 'd'];
    const listeners = topics.map((topic) => new Collector().join(node, topic, 0, 1000));
    await Promise.all(Array.from({ length: 200 }, (_, i) => node.append(topics[i % 4] ?? '', { i })));
    for (const [i, topic] of topics.entries()) {
      const events = await node.log.read(topic, 0, 1000);
      expect(events).toHaveLength(50);
      expect(events.map(({ prev }) => prev)).toEqual([0, ...events.map(({ seq }) => seq).slice(0, -1)]);
      await listeners[i]?.reaches(events.at(-1)?.seq ?? 0);
      expect(listeners[i]?.seen).toEqual(events.map(({ seq }) => seq));
    }
  });

  test('a slow consumer is dropped and finds everything again at its cursor', async () => {
    const node = await setUp(open);
    const slow = new Collector().join(node, 'room:1', 0, 5);
    const first = await node.append('room:1', { i: 0 });
    await slow.reaches(first);
    slow.full = () => true;
    const seqs = [first];
    for (let i = 1; i < 20; i++) seqs.push(await node.append('room:1', { i }));
    expect(slow.end).toBe('slow');
    const cursor = slow.subscription?.cursor ?? 0;
    expect(slow.seen).toEqual(seqs.filter((seq) => seq <= cursor));
    const again = new Collector().join(node, 'room:1', cursor);
    await again.reaches(seqs.at(-1) ?? 0);
    expect([...slow.seen, ...again.seen]).toEqual(seqs);
  });

  test('a hint from the bus brings the events of another node', async () => {
    if (dialect === 'sqlite') {
      // One process owns a SQLite file, so both nodes share the open database here.
      const db = await open();
      await migrate(db, [streamMigrations], () => 0);
      await expectTwoNodesAgree(db, db);
      return;
    }
    const at = await location();
    const [one, two] = [await open({ at }), await open({ at })];
    await migrate(one, [streamMigrations], () => 0);
    await expectTwoNodesAgree(one, two);
  });
});

async function expectTwoNodesAgree(one: Database, two: Database): Promise<void> {
  const bus = new MemoryBus(() => {});
  const [here, there] = [nodeOn(one, bus), nodeOn(two, bus)];
  const listeners = [
    new Collector().join(here, 'room:1', 0),
    new Collector().join(there, 'room:1', 0),
    new Collector().join(there, 'room:1', 0),
  ];
  await Promise.all(
    Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? there : here).append('room:1', { i })),
  );
  const seqs = (await here.log.read('room:1', 0, 1000)).map(({ seq }) => seq);
  expect(seqs).toHaveLength(60);
  for (const listener of listeners) {
    await listener.reaches(seqs.at(-1) ?? 0);
    expect(listener.seen).toEqual(seqs);
  }
}
