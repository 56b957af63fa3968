import { setTimeout as sleep } from 'node:timers/promises';
import { Crowd } from './crowd.ts';
import type { TortureOptions } from './options.ts';
import { SeededRandom } from './random.ts';
import { Nodes } from './stand/nodes.ts';
import { Tally } from './tally.ts';

const REDIS_GONE_MS = 20_000;
const FROZEN_MS = 60_000;

/** What befalls the nodes between two kills, now and then. */
const ASIDES = {
  async postgres(nodes: Nodes) {
    await nodes.postgres.restart();
  },
  async redis(nodes: Nodes) {
    await nodes.redis.kill();
    await sleep(REDIS_GONE_MS);
    await nodes.redis.startAgain();
  },
  /** Longer than any lease, than a transaction may stand still and than a check of the balancer. */
  async freeze(nodes: Nodes, random: SeededRandom) {
    const node = random.one(nodes.all);
    node.signal('SIGSTOP');
    await sleep(FROZEN_MS);
    node.signal('SIGCONT');
    await node.ready();
  },
  /** One after the other, in order. */
  async rolling(nodes: Nodes) {
    for (const node of nodes.all) {
      await node.end('SIGTERM');
      await node.start();
      await sleep(1000);
    }
  },
};

type Aside = keyof typeof ASIDES;
const ASIDE_NAMES = Object.keys(ASIDES) as Aside[];

export interface ClusterOptions extends TortureOptions {
  readonly asides?: readonly Aside[];
  /** One after so many kills. */
  readonly asideEvery?: number;
  /** Kills so many milliseconds apart, however much was written; else they are spread over the writes. */
  readonly everyMs?: number | undefined;
}

/**
 * Three nodes behind a HAProxy, one of them killed with -9 again and again while clients of all modules write; now and then
 * PostgreSQL or Redis is killed and comes back, a node stands still, or all are restarted in turn.
 */
export async function tortureCluster(options: ClusterOptions): Promise<Tally> {
  const { kills, writes, seed, share, say, everyMs, asides = ASIDE_NAMES, asideEvery = 6 } = options;
  const random = new SeededRandom(seed);
  const tally = new Tally();
  const nodes = await Nodes.start(3);
  try {
    const crowd = new Crowd(tally);
    // Channels end with their Redis.
    await crowd.enter(() => nodes.url, { share, without: ['channel'] });
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
      const aside = asides[(kill / asideEvery - 1) % Math.max(1, asides.length)];
      if (aside && kill % asideEvery === 0) {
        say(`${aside}, at ${tally.total} acknowledged`);
        await ASIDES[aside](nodes, random);
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

async function reached(tally: Tally, goal: number): Promise<void> {
  while (tally.total < goal) {
    if (tally.wrong.length > 0) throw new Error(tally.wrong[0]);
    await sleep(5);
  }
}
