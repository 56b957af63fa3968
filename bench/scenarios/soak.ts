import { Connection } from '../load/connection.ts';
import { messages, type PathMaker, turns, upserts, whoami } from '../load/path.ts';
import { startParley } from '../load/server-process.ts';
import { atMost, median, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const MINUTES = Number(process.argv.find((arg) => arg.startsWith('--minutes='))?.slice(10) ?? 10);
const SAMPLES = 60;
const CONNECTIONS = 4;
const MB = 1024 * 1024;
const PATHS: readonly PathMaker[] = [whoami, messages, turns, upserts];
/** Work and rest, so that the store does not outgrow the disk in ten minutes. */
const WORK_MS = 100;
const REST_MS = 200;

/** All busy requests side by side for minutes: what the process holds after a collection must not grow. */
export async function soak(): Promise<ScenarioResult> {
  const server = await startParley(UNLIMITED);
  const open = (): Promise<Connection[]> =>
    Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(server.url)));
  const lanes = await Promise.all(PATHS.map(async (make) => await make(server, await open())));
  const end = performance.now() + MINUTES * 60_000;
  let requests = 0;
  const working = lanes.map(async (path) => {
    while (performance.now() < end) {
      requests += (await path.play(WORK_MS)).latencies.length;
      await rest(REST_MS);
    }
  });
  const samples: number[] = [];
  while (performance.now() < end) {
    await rest((MINUTES * 60_000) / SAMPLES);
    samples.push((await server.memory()) / MB);
  }
  await Promise.all(working);
  for (const path of lanes) path.close();
  await server.stop();
  // Caches fill and code is compiled in the first third.
  const third = Math.floor(samples.length / 3);
  const early = median(samples.slice(third, 2 * third));
  const late = median(samples.slice(2 * third));
  return {
    name: `memory over ${MINUTES} minutes of messages, turns, upserts and whoami`,
    rows: [
      { label: 'requests', value: requests.toLocaleString('en') },
      { label: 'memory in the second third, MB', value: String(round(early, 1)) },
      { label: 'memory in the last third, MB', value: String(round(late, 1)) },
    ],
    checks: [atMost('last third against second', round(late / early, 3), 1.05)],
  };
}

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
