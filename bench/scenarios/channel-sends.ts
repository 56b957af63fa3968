import { openChannel, sendRequest } from '../load/channel.ts';
import { closedLoop } from '../load/closed-loop.ts';
import { Connection, rawRequest } from '../load/connection.ts';
import { startBare, startParley } from '../load/server-process.ts';
import { atLeast, atMost, median, percentile, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const CONNECTIONS = 32;
const ROUNDS = 9;
const SLICE_MS = 1000;
const TEXT = 'x'.repeat(400);

/** Sends per second against a bare server that parses and echoes the same JSON, in alternating slices. */
export async function channelSends(): Promise<ScenarioResult> {
  const [bare, parley] = await Promise.all([startBare(), startParley(UNLIMITED)]);
  const toBare = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(bare.url)));
  const toParley = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(parley.url)));
  const channels = await Promise.all(toParley.map((connection) => openChannel(connection, 1)));
  const sends = channels.map((channel) => sendRequest(channel, TEXT));
  const echo = rawRequest('POST', '/', {
    token: channels[0]?.token,
    participant_id: channels[0]?.participants[0],
    text: TEXT,
  });

  const ratios: number[] = [];
  const rates = { bare: [] as number[], parley: [] as number[] };
  const p99 = { bare: [] as number[], parley: [] as number[] };
  await closedLoop(toBare, () => echo, SLICE_MS);
  await closedLoop(toParley, (index) => sends[index] ?? '', SLICE_MS);
  for (let turn = 0; turn < ROUNDS; turn++) {
    const one = await closedLoop(toBare, () => echo, SLICE_MS);
    const other = await closedLoop(toParley, (index) => sends[index] ?? '', SLICE_MS);
    ratios.push(other.perSecond / one.perSecond);
    rates.bare.push(one.perSecond);
    rates.parley.push(other.perSecond);
    p99.bare.push(percentile(one.latencies, 0.99));
    p99.parley.push(percentile(other.latencies, 0.99));
  }
  for (const connection of [...toBare, ...toParley]) connection.close();
  await Promise.all([bare.stop(), parley.stop()]);
  return {
    name: `channel sends, ${CONNECTIONS} connections, ${TEXT.length}-character texts`,
    rows: [
      { label: 'sends per second', value: String(Math.round(median(rates.parley))) },
      { label: 'bare node:http echo per second', value: String(Math.round(median(rates.bare))) },
      { label: 'p99, ms', value: `${round(median(p99.parley))} (bare ${round(median(p99.bare))})` },
    ],
    checks: [
      atLeast('rate against bare', round(median(ratios)), 0.6),
      atMost('p99 against bare', round(median(p99.parley) / median(p99.bare)), 2),
    ],
  };
}
