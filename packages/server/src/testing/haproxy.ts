import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';

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

/** A real HAProxy on a free loopback port in front of these nodes, which get requests in turn. */
export async function startHaproxy(program: string, nodes: readonly string[]): Promise<TestHaproxy> {
  const port = await freePort();
  const places = nodes.map((url, index) => [`PARLEY_NODE_${index + 1}`, new URL(url).host]);
  const child = spawn('sh', ['-c', WITH_US, 'sh', program, '-f', CONFIGURATION, '-db'], {
    env: {
      ...process.env,
      PARLEY_BIND: `127.0.0.1:${port}`,
      PARLEY_BALANCE: 'roundrobin',
      ...Object.fromEntries(places),
    },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-2000)));
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`haproxy ended at once: ${errors}`);
    await sleep(5);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
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
