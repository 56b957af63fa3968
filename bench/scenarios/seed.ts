import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfig } from '@parley/server/config/load';
import { createLog } from '@parley/server/platform/log';
import { startParley } from '@parley/server/server';
import { type SeedSizes, seed, signIn } from '../load/console-seed.ts';
import type { BenchServer } from '../load/both-stores.ts';
import { atMost, median, percentile, round, type ScenarioResult } from '../result.ts';

const LOOKS = 20;
const LIST_MS = 200;

const LISTS = [
  'overview',
  'traffic',
  'traffic?window=7d',
  'agents',
  'agents?q=agent-9',
  'messages',
  'messages?state=failed',
  'executions',
  'executions?status=failed',
  'rooms',
  'memory',
  'schedule',
  'coordination',
  'webhooks',
  'activity',
  'search?q=agent-77',
];
const OPERATOR_LISTS = ['channels', 'system', 'jobs/dead', 'settings'];

const given = (name: string, usual: number): number => {
  const flag = process.argv.find((arg) => arg.startsWith(`--${name}=`));
  return flag === undefined ? usual : Number(flag.slice(name.length + 3));
};

/** A large store (`--agents= --messages= --capsules=`), kept with `--data-dir=`, and how soon each view of the console answers on it. */
export async function seeded(): Promise<ScenarioResult> {
  const sizes: SeedSizes = {
    agents: given('agents', 100_000),
    messages: given('messages', 1_000_000),
    capsules: given('capsules', 100_000),
  };
  const kept = process.argv.find((arg) => arg.startsWith('--data-dir='))?.slice('--data-dir='.length);
  const dataDir = kept === undefined ? mkdtempSync(join(tmpdir(), 'parley-seed-')) : resolve(kept);
  mkdirSync(dataDir, { recursive: true });
  const { config } = loadConfig({ cwd: dataDir });
  const log = createLog({ level: 'error', secretPrefixes: [], stream: { write: () => undefined } });
  const server = await startParley({ ...config, port: 0, dataDir, rateLimits: false }, { log });
  try {
    const began = performance.now();
    const owner = await seed(server, sizes);
    const seconds = (performance.now() - began) / 1000;
    const people = { operator: await signIn(server, undefined), owner: await signIn(server, owner.key) };
    const looks = [];
    for (const [person, cookie] of Object.entries(people))
      for (const path of [...LISTS, ...(person === 'operator' ? OPERATOR_LISTS : [])])
        looks.push({ label: `${person}: ${path}`, times: await timed(server, cookie, path) });
    return result(sizes, seconds, looks);
  } finally {
    await server.stop();
    if (kept === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

async function timed({ url }: BenchServer, cookie: string, path: string): Promise<number[]> {
  const times: number[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    const began = performance.now();
    const answer = await fetch(`${url}/v1/console/${path}`, { headers: { cookie } });
    await answer.arrayBuffer();
    times.push(performance.now() - began);
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`);
  }
  return times;
}

function result(
  { agents, messages, capsules }: SeedSizes,
  seconds: number,
  looks: readonly { readonly label: string; readonly times: readonly number[] }[],
): ScenarioResult {
  return {
    name: `seed: the console on ${agents} agents, ${messages} messages and ${capsules} capsules (SQLite)`,
    rows: [
      { label: 'made in, s', value: String(round(seconds)) },
      ...looks.map(({ label, times }) => ({
        label: `${label}, ms (p50 / p95)`,
        value: `${round(median(times))} / ${round(percentile(times, 0.95))}`,
      })),
    ],
    checks: looks.map(({ label, times }) =>
      atMost(`${label}, p95, ms`, round(percentile(times, 0.95)), LIST_MS),
    ),
  };
}
