import { openChannel, pollRequest, sendRequest } from '../load/channel.ts';
import { Connection } from '../load/connection.ts';
import { startParley } from '../load/server-process.ts';
import { atMost, percentile, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const ROUNDS = 1000;

/** The time from a send to the last of 19 answered polls, against that of a single one. */
export async function channelFanOut(): Promise<ScenarioResult> {
  const server = await startParley(UNLIMITED);
  const one = await wakeTimes(server.url, 1);
  const many = await wakeTimes(server.url, 19);
  const oneAgain = await wakeTimes(server.url, 1);
  await server.stop();
  const single = percentile([...one, ...oneAgain], 0.99);
  const last = percentile(many, 0.99);
  return {
    name: '19 parked polls in one channel, one send',
    rows: [
      { label: 'p99 of 1 poll, ms', value: String(round(single)) },
      { label: 'p99 of the last of 19 polls, ms', value: String(round(last)) },
    ],
    checks: [atMost('p99 of 19 against 1', round(last / single), 3)],
  };
}

async function wakeTimes(url: string, polls: number): Promise<number[]> {
  const sender = await Connection.open(url);
  const channel = await openChannel(sender, polls + 1);
  const listeners = await Promise.all(Array.from({ length: polls }, () => Connection.open(url)));
  const send = sendRequest(channel, 'x'.repeat(400));
  const times: number[] = [];
  for (let turn = 0; turn < ROUNDS; turn++) {
    const since = polls + 1 + turn;
    const answers = listeners.map((listener, index) =>
      listener.request(pollRequest(channel, index + 1, since)),
    );
    // Parked for certain: the server reads its sockets in turn, and this answer comes after it has read them.
    await sender.request('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 2));
    const start = performance.now();
    const sent = sender.request(send);
    await Promise.all(answers);
    times.push(performance.now() - start);
    await sent;
  }
  for (const connection of [...listeners, sender]) connection.close();
  return times;
}
