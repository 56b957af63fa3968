import { setTimeout as sleep } from 'node:timers/promises';
import { Crowd } from './crowd.ts';
import type { TortureOptions } from './options.ts';
import { SeededRandom } from './random.ts';
import { Nodes } from './stand/nodes.ts';
import { Tally } from './tally.ts';

const REDIS_GONE_MS = 20_000;
const FROZEN_MS = 60_000;
const CUT_OFF_MS = 20_000;
/** A node that is cut off says so within this time. */
const SAID_MS = 5_000;
const APART_MS = 20_000;
const MINUTES_5 = 300_000;

interface Scene {
  readonly nodes: Nodes;
  readonly random: SeededRandom;
  readonly tally: Tally;
}

/** What befalls the nodes between two kills, now and then. */
const ASIDES = {
  /** Nodes come back by themselves; one that ended instead is an error. */
  async postgres({ nodes, tally }: Scene) {
    await nodes.postgres.restart();
    const began = performance.now();
    await Promise.all(nodes.all.map((node) => node.ready()));
    tally.recovered(performance.now() - began);
  },
  async redis({ nodes }: Scene) {
    await nodes.redis.kill();
    await sleep(REDIS_GONE_MS);
    await nodes.redis.startAgain();
  },
  /** Longer than any lease, than a transaction may stand still and than a check of the balancer. */
  async freeze({ nodes, random }: Scene) {
    const node = random.one(nodes.all);
    node.signal('SIGSTOP');
    await sleep(FROZEN_MS);
    node.signal('SIGCONT');
    await node.ready();
  },
  /** One after the other, in order. */
  async rolling({ nodes }: Scene) {
    for (const node of nodes.all) {
      await node.end('SIGTERM');
      await node.start();
      await sleep(1000);
    }
  },
  /** One goes by the time of the database, one is five minutes ahead of it and one behind, until they are set right again. */
  async clocks({ nodes, tally }: Scene) {
    const off = [0, MINUTES_5, -MINUTES_5];
    const set = async (clocks: readonly number[]): Promise<void> => {
      for (const [index, node] of nodes.all.entries()) {
        await node.end('SIGKILL');
        await node.start({ clockOffMs: clocks[index] ?? 0 });
      }
    };
    await set(off);
    await sleep(APART_MS);
    for (const [index, node] of nodes.all.entries())
      if (off[index] !== 0 && !node.hasSaid('clock_differs'))
        tally.wrong.push(`node ${index} did not notice that its clock is wrong`);
    await set([]);
  },
  /** The cable between a node and PostgreSQL is pulled, and put back. */
  async cut({ nodes, tally }: Scene) {
    const { node, gate } = nodes.gated;
    gate.shut();
    const shut = performance.now();
    while ((await node.statusOf('/ready')) !== 503 && performance.now() < shut + 2 * SAID_MS) await sleep(50);
    const saidMs = Math.round(performance.now() - shut);
    if (saidMs > SAID_MS)
      tally.wrong.push(`a node cut off from PostgreSQL said that it is ready for ${saidMs} ms`);
    const health = await node.statusOf('/health');
    if (health !== 200) tally.wrong.push(`/health of a node cut off from PostgreSQL was answered ${health}`);
    await sleep(CUT_OFF_MS);
    gate.lift();
    await node.ready();
  },
};

export type Aside = keyof typeof ASIDES;
export const ASIDE_NAMES = Object.keys(ASIDES) as Aside[];

export interface ClusterOptions extends TortureOptions {
  readonly asides?: readonly Aside[];
  /** One after so many kills. */
  readonly asideEvery?: number;
  /** Kills so many milliseconds apart, however much was written; else they are spread over the writes. */
  readonly everyMs?: number | undefined;
}

/**
 * Three nodes behind a HAProxy, one of them killed with -9 again and again while clients of all modules write; now and then
 * PostgreSQL or Redis is killed and comes back, a node stands still or is cut off, clocks differ, or all are restarted in turn.
 */
export async function tortureCluster(options: ClusterOptions): Promise<Tally> {
  const { kills, writes, seed, share, say, everyMs } = options;
  const random = new SeededRandom(seed);
  const tally = new Tally();
  const nodes = await Nodes.start(3);
  try {
    const crowd = new Crowd(tally);
    const asideAfter = planOf(options);
    // Channels survive a node, and end with their Redis.
    const hasRedis = !asideAfter.includes('redis');
    await crowd.enter(() => nodes.url, { share, channels: hasRedis ? 'lasting' : 'none' });
    crowd.start();
    const mean = writes / kills;
    const began = performance.now();
    for (let kill = 1; kill <= kills; kill++) {
      if (everyMs === undefined) await reached(tally, Math.round(mean * (kill - 1) + mean * random.unit()));
      else await sleep(Math.max(0, began + kill * everyMs - performance.now()));
      const node = random.one(nodes.all);
      await node.end('SIGKILL');
      await sleep(random.below(1500));
      await node.start();
      const aside = asideAfter[kill - 1];
      if (aside) {
        say(`${aside}, at ${tally.total} acknowledged`);
        await ASIDES[aside]({ nodes, random, tally });
      }
      if (kill % Math.max(1, Math.floor(kills / 10)) === 0) say(`${kill} kills, ${tally.total} acknowledged`);
    }
    if (everyMs === undefined) await reached(tally, writes);
    await crowd.stop();
    say(`looking for ${tally.total} acknowledged writes (${tally.byKind})`);
    await crowd.check();
  } finally {
    await nodes.stop();
  }
  return tally;
}

/** What comes after each kill, if anything does. */
function planOf({ kills, asides = ASIDE_NAMES, asideEvery = 6 }: ClusterOptions): (Aside | undefined)[] {
  return Array.from({ length: kills }, (_, at) =>
    (at + 1) % asideEvery === 0
      ? asides[((at + 1) / asideEvery - 1) % Math.max(1, asides.length)]
      : undefined,
  );
}

async function reached(tally: Tally, goal: number): Promise<void> {
  while (tally.total < goal) {
    if (tally.wrong.length > 0) throw new Error(tally.wrong[0]);
    await sleep(5);
  }
}
