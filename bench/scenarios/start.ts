import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startParley } from '../load/server-process.ts';
import { atMost, median, round, type ScenarioResult } from '../result.ts';

const STARTS = 7;
const IDLE_MS = 3_000;
const MB = 1024 * 1024;

/** From the start of the process to its first answer, with a store that is there and with none; and what it then holds. */
export async function start(): Promise<ScenarioResult> {
  const again = { ms: [] as number[], cpu: [] as number[] };
  const fresh = { ms: [] as number[], cpu: [] as number[] };
  const idle: number[] = [];
  for (let at = 0; at < STARTS; at++) {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
    for (const into of [fresh, again]) {
      const server = await startParley({ PARLEY_DATA_DIR: dataDir });
      into.ms.push(server.startedMs);
      into.cpu.push(server.cpu());
      if (into === again) {
        await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
        idle.push(server.resident() / MB);
      }
      await server.stop();
    }
    rmSync(dataDir, { recursive: true, force: true });
  }
  return {
    name: 'start and idle memory',
    rows: [
      { label: 'process start to first answer, empty store, ms', value: spread(fresh.ms) },
      { label: 'process start to first answer, ms', value: spread(again.ms) },
      { label: 'the same in time of a processor (all threads), ms', value: spread(again.cpu) },
      { label: `memory when idle for ${IDLE_MS / 1000} s, MB`, value: spread(idle) },
    ],
    checks: [
      // On a busy machine the best of several comes closest to what an idle core would take.
      atMost('process start to first answer, best of several, ms', round(Math.min(...again.ms)), 500),
      atMost('memory when idle, MB', round(median(idle)), 100),
    ],
  };
}

const spread = (values: readonly number[]): string =>
  `${round(median(values), 0)} (${round(Math.min(...values), 0)} to ${round(Math.max(...values), 0)})`;
