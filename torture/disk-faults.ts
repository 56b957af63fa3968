import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../packages/server/src/testing/free-port.ts';
import { messageActor } from './actors/messages.ts';
import { Caller } from './caller.ts';
import { ServerProcess } from './stand/server.ts';
import type { Tally } from './tally.ts';

interface Place {
  readonly dataDir: string;
  readonly folder: string;
  readonly tally: Tally;
}

/** A second server on the folder of one that runs ends at once and says why; the first goes on. */
export async function secondServer(first: ServerProcess, { dataDir, folder, tally }: Place): Promise<void> {
  const log = join(folder, 'second.log');
  const second = new ServerProcess({ port: await freePort(), dataDir, log });
  second.spawn();
  while (!second.hasEnded) await sleep(20);
  if ((await second.end('SIGTERM')) !== 1 || !second.lastWords.includes('is in use by another server'))
    tally.wrong.push(`a second server on the folder said: ${second.lastWords}`);
  await first.ready();
}

/** A store that lost its end is not served as if it were whole: the server refuses it, or says that it is not ready. */
export async function cutShort(server: ServerProcess, { dataDir, folder, tally }: Place): Promise<void> {
  await server.end('SIGKILL');
  const copy = join(folder, 'cut');
  cpSync(dataDir, copy, { recursive: true });
  const file = join(copy, 'parley.db');
  truncateSync(file, Math.floor(statSync(file).size * 0.6));
  const cut = new ServerProcess({ port: await freePort(), dataDir: copy, log: join(folder, 'cut.log') });
  cut.spawn();
  try {
    for (const end = performance.now() + 60_000; performance.now() < end; await sleep(100)) {
      if (cut.hasEnded) {
        const code = await cut.end('SIGKILL');
        if (code !== 1 || !/malformed|corrupt|damaged|not a database/.test(cut.lastWords))
          tally.wrong.push(`on a file that was cut short a server ended with ${code}: ${cut.lastWords}`);
        return;
      }
      if ((await cut.statusOf('/ready')) === 503) return;
    }
    tally.wrong.push('a server on a file that was cut short says that it is ready');
  } finally {
    await cut.end('SIGKILL');
  }
}

const DISK_MB = 24;

/** A disk that runs full: what was acknowledged is there, and there again when there is room. */
export async function fullDisk({ tally, say }: { tally: Tally; say: (line: string) => void }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-full-'));
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  const mount = (...words: string[]) => spawnSync('mount', [...words, disk], { encoding: 'utf8' });
  const mounted = mount('-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs');
  if (mounted.status !== 0) {
    say(`a full disk was not tried: ${mounted.stderr.trim() || 'mount is not allowed here'}`);
    rmSync(folder, { recursive: true, force: true });
    return;
  }
  const server = new ServerProcess({
    port: await freePort(),
    dataDir: join(disk, 'data'),
    log: join(folder, 'log'),
    // Switched off, as this is about the disk itself: the watch would refuse writes long before.
    env: { PARLEY_MIN_FREE_DISK_MB: '0' },
  });
  try {
    await server.start();
    const caller = new Caller(() => server.url, tally);
    const actor = await messageActor({ caller, tally, name: 'full', forgotten: () => 0 });
    await actor.setUp();
    const refusals = await untilFull({ caller, server, tally });
    mount('-o', `remount,size=${4 * DISK_MB}m`);
    for (let count = 0; count < 200; count++) await actor.step();
    await server.end('SIGKILL');
    await server.start();
    await actor.check();
    caller.close();
    say(`a full disk: refused ${refusals} writes, lost none`);
  } finally {
    await server.end('SIGKILL');
    spawnSync('umount', [disk]);
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Filling {
  readonly caller: Caller;
  readonly server: ServerProcess;
  readonly tally: Tally;
}

/** Fills the disk with documents until 20 writes were refused, each with a reason; the server lives on. */
async function untilFull({ caller, server, tally }: Filling): Promise<number> {
  const { api_key: key } = await caller.must<{ api_key: string }>({
    method: 'POST',
    path: '/v1/auth/register',
    body: { email: 'filler@example.com' },
  });
  let refused = 0;
  for (let count = 0; refused < 20; count++) {
    const body = { path: `journal/${count}.md`, content: 'x'.repeat(200_000) };
    const answer = await caller.once({ method: 'POST', path: '/v1/write', body, key });
    if (answer?.status === 200) continue;
    refused++;
    if (answer?.status !== 507)
      tally.wrong.push(`on a full disk: ${answer?.status ?? 'cut'} ${answer?.body}`);
    if (server.hasEnded) throw new Error(`the server ended on a full disk: ${server.lastWords}`);
  }
  return refused;
}
