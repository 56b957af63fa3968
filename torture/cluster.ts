import { setTimeout as sleep } from 'node:timers/promises';
import { type Aside, ASIDE_NAMES, ASIDES } from './asides.ts';
import { Crowd } from './crowd.ts';
import type { TortureOptions } from './options.ts';
import { SeededRandom } from './random.ts';
import { Nodes } from './stand/nodes.ts';
import type { Tally } from './tally.ts';

/** A job of a node that died is done by another when its lease is over, and soon. */
const LATEST_FIRE_MS = 35_000;

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
export async function tortureCluster(options: ClusterOptions): Promise<void> {
  const { kills, writes, seed, share, say, everyMs, tally, patience, settleMs } = options;
  const random = new SeededRandom(seed);
  const nodes = await Nodes.start(3);
  try {
    const crowd = new Crowd(tally);
    const asideAfter = planOf(options);
    await crowd.enter(() => nodes.url, share);
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
        await ASIDES[aside]({ nodes, random, crowd, tally, patience });
      }
      if (kill % Math.max(1, Math.floor(kills / 10)) === 0) say(`${kill} kills, ${tally.total} acknowledged`);
    }
    if (everyMs === undefined) await reached(tally, writes);
    await crowd.stop();
    say(`looking for ${tally.total} acknowledged writes (${tally.byKind})`);
    await crowd.check(settleMs);
    tally.took('the latest fire of a cue', tally.latestFire, LATEST_FIRE_MS * patience);
  } finally {
    await nodes.stop();
  }
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
