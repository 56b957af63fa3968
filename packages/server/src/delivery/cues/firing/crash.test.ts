import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { People } from '../../../identity/testing/people.ts';
import { type Child, startChild } from '../../../testing/child-program.ts';
import { describeEachDatabase } from '../../../testing/databases.ts';
import { CueClient } from '../../testing/cue-client.ts';
import { missingRedis, startRedis } from '../../../testing/redis.ts';

/** `PARLEY_TEST_DUE_TIMES=10000` makes it the full run. */
const DUE_TIMES = Number(process.env.PARLEY_TEST_DUE_TIMES ?? 240);
/** How many come due in a second. */
const PER_SECOND = Math.max(40, DUE_TIMES / 40);
const HOUR = 3_600_000;
const AT_ONCE = 25;

/** A server that is cut off now and then and comes back. */
class Phoenix {
  readonly #settings: string;
  #child: Child | undefined;
  url = '';

  constructor(settings: object) {
    this.#settings = JSON.stringify(settings);
  }

  async rise(aheadMs: number): Promise<void> {
    this.#child = await startChild('serve-delivery', [this.#settings, String(aheadMs)]);
    this.url = await this.#child.until((line) => line.startsWith('http'));
  }

  async die(): Promise<void> {
    await this.#child?.kill();
  }
}

/** How many executions there are, and how often each cue was fired. */
const told = async (client: CueClient) => {
  const { total } = await client.executions({ limit: 1 });
  const fired = new Map<string, number>();
  for (let offset = 0; offset < DUE_TIMES; offset += 100) {
    const { cues } = await client.cues({ limit: 100, offset });
    for (const { id, fired_count: count, next_run: next } of cues) if (next === null) fired.set(id, count);
  }
  return { total, cues: fired.size, once: [...fired.values()].every((count) => count === 1) };
};

describeEachDatabase('cues › kill -9', (_open, { location, dialect }) => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('every due time is fired exactly once, whoever is killed in the middle', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-cues-crash-'));
    cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const at = await location();
    const settings = { dataDir, rateLimits: false, secretKey: '5'.repeat(64) };
    // Two nodes share one; the global setup says so where there is none.
    const redis = dialect === 'postgres' && missingRedis() === undefined ? await startRedis() : undefined;
    if (redis) cleanups.push(() => redis.stop());
    const node = (name: string): Phoenix => {
      const place =
        'url' in at ? { databaseUrl: at.url, redisUrl: redis?.url, dataDir: join(dataDir, name) } : {};
      const made = new Phoenix({ ...settings, ...place });
      cleanups.push(() => made.die());
      return made;
    };
    const first = node('one');
    await first.rise(0);
    const { owner } = await CueClient.register(first);
    const client = new CueClient(new People(first), owner);
    const begin = Date.now() + HOUR;
    for (let made = 0; made < DUE_TIMES; made += AT_ONCE) {
      const batch = Array.from({ length: Math.min(AT_ONCE, DUE_TIMES - made) }, (_, each) => {
        const due = new Date(begin + ((made + each) / PER_SECOND) * 1000).toISOString();
        return client.cue({ schedule: { type: 'once', at: due } });
      });
      await Promise.all(batch);
    }
    await first.die();
    // From a moment before the first of them on.
    const ahead = begin - Date.now() - 1000;
    const nodes = redis ? [first, node('two')] : [first];
    for (const each of nodes) await each.rise(ahead);
    const ends = Date.now() + (DUE_TIMES / PER_SECOND) * 1000;
    for (let round = 0; Date.now() < ends; round += 1) {
      await sleep(700 + (round % 3) * 400);
      const victim = nodes[round % nodes.length];
      await victim?.die();
      await victim?.rise(ahead);
    }
    const all = { total: DUE_TIMES, cues: DUE_TIMES, once: true };
    await expect.poll(() => told(client), { interval: 500 }).toEqual(all);
  }, 600_000);
});
