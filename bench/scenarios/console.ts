import type { BenchServer } from '../load/both-stores.ts';
import type { Seeded } from '../load/fill/console-seed.ts';
import { type Role, viewsOf, Visitor } from '../load/console-views.ts';
import { onSeededFile, onSeededPostgres, sizes } from '../load/seeded-server.ts';
import { atMost, median, percentile, round, type ScenarioResult } from '../result.ts';

const WARM = 3;
const LOOKS = 40;
const VIEW_MS = 100;
const OVERVIEW_MS = 20;
const ROLES: readonly Role[] = ['operator', 'owner'];

interface Looked {
  readonly label: string;
  readonly times: readonly number[];
  readonly limit: number;
}

/**
 * How soon each view of the console has what it shows first, on a large store: all that a view asks for, asked together, until the
 * last of it is there. `--store=sqlite` or `--store=postgres` looks at one of the two.
 */
export async function consoleViews(): Promise<ScenarioResult> {
  const { agents, messages, capsules, owners } = sizes();
  const only = process.argv.find((arg) => arg.startsWith('--store='))?.slice('--store='.length);
  const looked = [
    ...(only === 'postgres' ? [] : named('SQLite', await onSeededFile(look))),
    ...(only === 'sqlite' ? [] : named('PostgreSQL', await onSeededPostgres(look))),
  ];
  return {
    name: `the console on ${agents} agents, ${messages} messages and ${capsules} capsules of ${owners} accounts`,
    rows: looked.map(({ label, times }) => ({
      label: `${label}, ms (p50 / p95)`,
      value: `${round(median(times))} / ${round(percentile(times, 0.95))}`,
    })),
    checks: looked.map(({ label, times, limit }) =>
      atMost(`${label}, p95, ms`, round(percentile(times, 0.95)), limit),
    ),
  };
}

const named = (store: string, looked: readonly Looked[]): Looked[] =>
  looked.map(({ label, ...rest }) => ({ label: `${store}, ${label}`, ...rest }));

async function look(server: BenchServer, seeded: Seeded): Promise<Looked[]> {
  const looked: Looked[] = [];
  for (const role of ROLES) {
    const visitor = await Visitor.signIn(server, role, seeded);
    const overview = await timed(() => visitor.ask('console/overview'));
    looked.push({ label: `${role}: overview alone`, times: overview, limit: OVERVIEW_MS });
    for (const { name, asks, only } of viewsOf(seeded)) {
      if (only !== undefined && only !== role) continue;
      const whole = async (): Promise<number> =>
        Math.max(...(await Promise.all(asks.map((ask) => visitor.ask(ask)))));
      looked.push({ label: `${role}: ${name}`, times: await timed(whole), limit: VIEW_MS });
    }
  }
  return looked;
}

async function timed(once: () => Promise<number>): Promise<number[]> {
  const taken: number[] = [];
  for (let at = -WARM; at < LOOKS; at += 1) {
    const time = await once();
    if (at >= 0) taken.push(time);
  }
  return taken;
}
