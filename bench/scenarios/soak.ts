import { channelChurn, type Churn, streamChurn } from '../load/churn.ts';
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
const REST_MS = 400;

/** Channels that were left are over soon, so that ten minutes see many of them come and go. */
const SHORT_LIVED = { CH_IDLE_TIMEOUT_MS: '10000', CH_SWEEP_INTERVAL_MS: '1000' };

/** All busy requests side by side for minutes: what the process holds after a collection must not grow. */
export async function soak(): Promise<ScenarioResult> {
  const server = await startParley({ ...UNLIMITED, ...SHORT_LIVED });
  const open = (): Promise<Connection[]> =>
    Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(server.url)));
  const lanes = await Promise.all(PATHS.map(async (make) => await make(server, await open())));
  const end = performance.now() + MINUTES * 60_000;
  let requests = 0;
  const churns: Churn[] = [
    channelChurn(await open()),
    await streamChurn(server, await open()),
    ...lanes.map((path) => ({ play: async (ms: number) => (await path.play(ms)).latencies.length })),
  ];
  const working = churns.map(async (churn) => {
    while (performance.now() < end) {
      requests += await churn.play(WORK_MS);
      await rest(REST_MS);
    }
  });
  const samples: number[] = [];
  const heaps: number[] = [];
  while (performance.now() < end) {
    await rest((MINUTES * 60_000) / SAMPLES);
    samples.push((await server.memory()) / MB);
    heaps.push((await server.heap()) / MB);
  }
  await Promise.all(working);
  for (const path of lanes) path.close();
  await server.stop();
  const memory = thirds(samples);
  const heap = thirds(heaps);
  return {
    name: `memory over ${MINUTES} minutes of channels, streams, messages, turns, upserts and whoami`,
    rows: [
      { label: 'requests', value: requests.toLocaleString('en') },
      { label: 'memory in the second third, MB', value: String(round(memory.early, 1)) },
      { label: 'memory in the last third, MB', value: String(round(memory.late, 1)) },
      { label: 'heap in the second third, MB', value: String(round(heap.early, 1)) },
      { label: 'heap in the last third, MB', value: String(round(heap.late, 1)) },
    ],
    checks: [
      atMost('memory, last third against second', round(memory.late / memory.early, 3), 1.05),
      atMost('heap, last third against second', round(heap.late / heap.early, 3), 1.05),
    ],
  };
}

/** Caches fill and code is compiled in the first third, which does not count. */
function thirds(samples: readonly number[]): { early: number; late: number } {
  const third = Math.floor(samples.length / 3);
  return { early: median(samples.slice(third, 2 * third)), late: median(samples.slice(2 * third)) };
}

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
