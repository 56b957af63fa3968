import { execFile, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { ChannelCipher } from '@parley/protocol/channels/envelope';
import { type BenchChannel, joinChannel, sendRequest } from '../load/channel.ts';
import { Connection } from '../load/connection.ts';
import { startParley } from '../load/server-process.ts';
import { atMost, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const MESSAGES = 50;
const ROUNDS = 3;

interface Session {
  channelId: string;
  token: string;
  key: string;
  files: { session: string; events: string };
}

/** A shell runs the served loop; a peer sends a burst. Measured until the loop has printed the last line. */
export async function shellLoop(): Promise<ScenarioResult> {
  const server = await startParley(UNLIMITED);
  const times: number[] = [];
  for (let turn = 0; turn < ROUNDS; turn++) times.push(await burst(server.url));
  await server.stop();
  const slowest = Math.max(...times);
  return {
    name: `the served shell loop, ${MESSAGES} received messages`,
    rows: [{ label: 'printed after, ms', value: times.map((ms) => Math.round(ms)).join(', ') }],
    checks: [atMost('slowest of three, s', round(slowest / 1000), 1)],
  };
}

async function burst(url: string): Promise<number> {
  const session = await bootstrap(url);
  const script = `. '${session.files.session}' && . <(curl -fsS '${url}/loop.sh')`;
  const loop = spawn('bash', ['-c', script], { stdio: 'ignore', detached: true });
  try {
    const connection = await Connection.open(url);
    const peer = await joinChannel(connection, session.channelId, session.token, 'bench-peer');
    const channel: BenchChannel = { id: session.channelId, token: session.token, participants: [peer] };
    const cipher = await ChannelCipher.create(session.channelId, session.key);
    const sealed = (text: string): Promise<string> => cipher.seal('bench-peer', JSON.stringify({ text }));
    // The first line shows that the loop is there; the burst is measured after it.
    await connection.request(sendRequest(channel, await sealed('ready')));
    await untilPrinted(session, 1);
    const texts = await Promise.all(
      Array.from({ length: MESSAGES }, (_, index) => sealed(`message ${index}`)),
    );
    const start = performance.now();
    for (const text of texts) await connection.request(sendRequest(channel, text));
    await untilPrinted(session, MESSAGES + 1);
    const elapsed = performance.now() - start;
    connection.close();
    return elapsed;
  } finally {
    if (loop.pid) process.kill(-loop.pid, 'SIGTERM');
    await promisify(execFile)('bash', ['-c', `rm -f /tmp/agentalk-*${session.channelId}*`]);
    rmSync(session.files.session, { force: true });
  }
}

async function bootstrap(url: string): Promise<Session> {
  const script = `. <(curl -fsS '${url}/bootstrap.sh') >/dev/null && printf '%s\\n' "$CHANNEL_ID" "$TOKEN" "$CHANNEL_KEY" "$SESSION_FILE" "$EVENTS_FILE"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    env: { ...process.env, AGENTALK_NAME: 'bench-loop' },
  });
  const [channelId = '', token = '', key = '', session = '', events = ''] = stdout.trim().split('\n');
  return { channelId, token, key, files: { session, events } };
}

async function untilPrinted({ files }: Session, lines: number): Promise<void> {
  for (let attempt = 0; attempt < 3000; attempt++) {
    const printed = readFileSync(files.events, 'utf8').match(/BROADCAST from=/g)?.length ?? 0;
    if (printed >= lines) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('the loop did not print every message');
}
