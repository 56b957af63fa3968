import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../packages/server/src/testing/free-port.ts';
import { Crowd } from './crowd.ts';
import { cutShort, fullDisk, secondServer } from './disk-faults.ts';
import type { TortureOptions } from './options.ts';
import { SeededRandom } from './random.ts';
import { ServerProcess } from './stand/server.ts';
import type { Tally } from './tally.ts';

/** Of the kills, so many hit a server that is still starting. */
const WHILE_STARTING = 0.1;

/**
 * One server on a file, killed with -9 again and again while clients of all modules write. The seed says after how many
 * acknowledged writes each kill comes.
 */
export async function tortureSingle({
  kills,
  writes,
  seed,
  share,
  say,
  tally,
  settleMs,
}: TortureOptions): Promise<void> {
  const random = new SeededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'parley-torture-'));
  const dataDir = join(folder, 'data');
  const server = new ServerProcess({ port: await freePort(), dataDir, log: join(folder, 'log') });
  try {
    await server.start();
    const crowd = new Crowd(tally);
    await crowd.enter(() => server.url, share);
    crowd.start();
    const mean = writes / kills;
    let goal = 0;
    for (let kill = 1; kill <= kills; kill++) {
      goal =
        Math.max(tally.total, Math.round(mean * (kill - 1))) + Math.round(mean * (0.5 + random.unit() * 0.5));
      await reached(tally, goal, server);
      await sleep(random.below(20));
      await server.end('SIGKILL');
      crowd.forget();
      if (random.unit() < WHILE_STARTING) {
        server.spawn();
        await sleep(random.below(700));
        await server.end('SIGKILL');
        crowd.forget();
      }
      await server.start();
      if (kill % Math.max(1, Math.floor(kills / 20)) === 0) say(`${kill} kills, ${tally.total} acknowledged`);
    }
    await reached(tally, writes, server);
    await crowd.stop();
    say(`looking for ${tally.total} acknowledged writes (${tally.byKind})`);
    await crowd.check(settleMs);
    await secondServer(server, { dataDir, folder, tally });
    await cutShort(server, { dataDir, folder, tally });
  } finally {
    await server.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
  await fullDisk({ tally, say });
}

async function reached(tally: Tally, goal: number, server: ServerProcess): Promise<void> {
  while (tally.total < goal) {
    if (server.hasEnded) throw new Error(`the server ended by itself: ${server.lastWords}`);
    if (tally.wrong.length > 0) throw new Error(tally.wrong[0]);
    await sleep(2);
  }
}
