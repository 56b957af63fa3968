import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Client } from 'pg';
import { installPackage, isExecutable } from './debian.ts';
import { freePort } from './free-port.ts';
import { untilAnswers } from './started-program.ts';

export interface TestPostgres {
  readonly url: string;
  /** As after a crash: every session is cut, and what was written but not put in order is read back from its log. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The server refuses to run as root, so a root test run starts it as this user. */
const USER = 'postgres';

/**
 * Runs the server until our end of standard input closes, which also happens when the test run is killed; then shuts
 * it down (SIGINT: open sessions are ended, not waited for) and removes its folder. A file `again` there starts it once more when
 * it has ended.
 */
const SUPERVISE = `
  trap : INT TERM
  folder=$1; shift
  exec 3<&0
  { cat <&3 >/dev/null; rm -f "$folder/again"; kill -INT $(head -n 1 "$folder/data/postmaster.pid"); } 2>/dev/null &
  while :; do
    "$@" </dev/null & server=$!
    while kill -0 $server 2>/dev/null; do wait $server; status=$?; done
    [ -e "$folder/again" ] || break
    rm -f "$folder/again"
  done
  cd /; rm -rf "$folder"; exit $status`;

/**
 * A real PostgreSQL on a temporary cluster and a free loopback port. Throws when it cannot be had. A durable one writes to the
 * disk before it answers, as it does where figures are taken.
 */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const bin = findBinaries() ?? installBinaries();
  const root = process.getuid?.() === 0;
  const account = root ? accountOf(USER) : undefined;
  const folder = mkdtempSync(join(tmpdir(), 'parley-postgres-'));
  try {
    if (account) chownSync(folder, account.uid, account.gid);
    const data = join(folder, 'data');
    const as = { ...account, cwd: folder, env: { ...process.env, LC_ALL: 'C' } };
    execFileSync(join(bin, 'initdb'), ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
      ...as,
      stdio: 'pipe',
    });
    const port = await freePort();
    const settings = [
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${folder}`,
      'max_connections=600',
      // No test takes the machine's power away, and a process that is killed loses nothing that was handed to the system.
      ...(durable ? [] : ['fsync=off', 'full_page_writes=off']),
    ];
    const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
    const command = [folder, join(bin, 'postgres'), ...args];
    const server = spawn('sh', ['-c', SUPERVISE, 'sh', ...command], {
      ...as,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    const url = `postgres://${USER}@127.0.0.1:${port}/postgres`;
    await untilAnswers('PostgreSQL', server, () => answers(url));
    const restart = async (): Promise<void> => {
      writeFileSync(join(folder, 'again'), '');
      process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT');
      const isAnew = async () => !existsSync(join(folder, 'again')) && (await answers(url));
      await untilAnswers('PostgreSQL', server, isAnew);
    };
    return { url, restart, stop: () => stop(server) };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function findBinaries(): string | undefined {
  const versions = '/usr/lib/postgresql';
  const packaged = existsSync(versions)
    ? readdirSync(versions)
        .toSorted((a, b) => Number(b) - Number(a))
        .map((version) => join(versions, version, 'bin'))
    : [];
  const onPath = (process.env.PATH ?? '').split(delimiter);
  return [...packaged, ...onPath].find(
    (folder) => isExecutable(folder, 'initdb') && isExecutable(folder, 'postgres'),
  );
}

function installBinaries(): string {
  installPackage('postgresql');
  const found = findBinaries();
  if (!found)
    throw new Error('apt-get installed postgresql, yet its programs are not under /usr/lib/postgresql');
  return found;
}

function accountOf(user: string): { uid: number; gid: number } {
  const id = (flag: string) => spawnSync('id', [flag, user], { encoding: 'utf8' });
  if (id('-u').status !== 0) execFileSync('useradd', ['--system', '--user-group', user], { stdio: 'pipe' });
  return { uid: Number(id('-u').stdout), gid: Number(id('-g').stdout) };
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = once(server, 'exit');
  server.stdin?.end();
  await ended;
}
