import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.ts';
import { untilAnswers } from './started-program.ts';

/** It refuses to run as root, as PostgreSQL does. */
const USER = 'postgres';

/** Until our end of standard input closes, which also happens when the test run is killed. */
const WITH_US = `
  exec 3<&0
  "$@" </dev/null & server=$!
  { cat <&3 >/dev/null; kill -KILL $server; } 2>/dev/null &
  wait $server`;

export interface TestPgBouncer {
  /** The database of another URL, through the pooler. */
  url(direct: string): string;
  stop(): Promise<void>;
}

/** A real PgBouncer on a free loopback port that lends so many connections to a PostgreSQL by transaction. */
export async function startPgBouncer(
  program: string,
  postgres: string,
  connections: number,
): Promise<TestPgBouncer> {
  const { hostname, port: target, username } = new URL(postgres);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'parley-pgbouncer-'));
  const configuration = join(folder, 'pgbouncer.ini');
  writeFileSync(
    configuration,
    `[databases]
* = host=${hostname} port=${target} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 400
`,
  );
  chmodSync(folder, 0o755);
  const child = spawn('sh', ['-c', WITH_US, 'sh', program, configuration], {
    ...(process.getuid?.() === 0 && { uid: idOf('-u'), gid: idOf('-g') }),
    cwd: '/',
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const through = (direct: string): string => {
    const url = new URL(direct);
    url.port = String(port);
    return url.href;
  };
  await untilAnswers('pgbouncer', child, () => answers(through(postgres)));
  return {
    url: through,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.stdin.end();
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const idOf = (flag: string): number => Number(spawnSync('id', [flag, USER], { encoding: 'utf8' }).stdout);

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
