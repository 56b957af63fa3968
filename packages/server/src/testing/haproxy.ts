import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { untilAnswers } from './started-program.ts';

/** The one that operators get. */
const CONFIGURATION = join(process.cwd(), 'deploy/haproxy.cfg');

/** Until our end of standard input closes, which also happens when the test run is killed. */
const WITH_US = `
  exec 3<&0
  "$@" </dev/null & server=$!
  { cat <&3 >/dev/null; kill -KILL $server; } 2>/dev/null &
  wait $server`;

export interface TestHaproxy {
  readonly url: string;
  stop(): Promise<void>;
}

export interface HaproxyOptions {
  /** From where it calls the nodes. */
  readonly source?: string;
  /** Whether it looks if they are ready: not where a test moves their clock, by which they tell. */
  readonly checks?: boolean;
  /** The address of a proxy before it, whose word on where clients are is passed on. */
  readonly front?: string;
  /** The port of a name server on this machine, to ask in place of the machine's own. */
  readonly names?: number;
}

/** A real HAProxy on a free loopback port in front of these nodes, which get requests in turn. */
export async function startHaproxy(
  program: string,
  nodes: readonly string[],
  { source = '127.0.0.1', checks = true, front, names }: HaproxyOptions = {},
): Promise<TestHaproxy> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'parley-haproxy-'));
  const configuration = join(folder, 'haproxy.cfg');
  let text = readFileSync(CONFIGURATION, 'utf8').replace(/^backend nodes$/m, `$&\n    source ${source}`);
  if (!checks) text = text.replace(/^ +default-server check .*$/m, '');
  if (names !== undefined) text = text.replace('parse-resolv-conf', `nameserver test 127.0.0.1:${names}`);
  writeFileSync(configuration, text);
  const places = nodes.map((url, index) => [`PARLEY_NODE_${index + 1}`, new URL(url).host]);
  const child = spawn('sh', ['-c', WITH_US, 'sh', program, '-f', configuration, '-db'], {
    env: {
      ...process.env,
      PARLEY_BIND: `127.0.0.1:${port}`,
      PARLEY_BALANCE: 'roundrobin',
      ...(front !== undefined && { PARLEY_FRONT: front }),
      ...Object.fromEntries(places),
    },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  await untilAnswers('haproxy', child, () => accepts(port));
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      rmSync(folder, { recursive: true, force: true });
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });
}
