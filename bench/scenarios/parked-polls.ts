import { type BenchChannel, openChannel, pollRequest, sendRequest } from '../load/channel.ts';
import { Connection } from '../load/connection.ts';
import { type ServerProcess, startParley } from '../load/server-process.ts';
import { atLeast, atMost, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const CHANNELS = 300;
const PER_CHANNEL = 10;
const HELD = 10_000;
const SENDERS = 100;

/** 3,000 parked polls in 300 channels, one send each; then 10,000 held at once. */
export async function parkedPolls(): Promise<ScenarioResult> {
  const wake = await wakeAll();
  const held = await holdMany();
  return {
    name: `parked polls: ${CHANNELS * PER_CHANNEL} in ${CHANNELS} channels, one send each; ${HELD} held`,
    rows: [
      { label: 'all answered after, ms', value: String(wake.ms) },
      {
        label: 'memory per parked poll, KB',
        value: `${wake.kilobytes} (${held.kilobytes} with ${HELD} held)`,
      },
    ],
    checks: [
      atMost('all answered after, ms', wake.ms, 300),
      atMost('memory per parked poll, KB', wake.kilobytes, 8),
      atLeast('polls held at once', held.parked, HELD),
    ],
  };
}

async function wakeAll(): Promise<{ ms: number; kilobytes: number }> {
  const server = await startParley(UNLIMITED);
  const control = await Connection.open(server.url);
  const channels: BenchChannel[] = [];
  for (let index = 0; index < CHANNELS; index++) channels.push(await openChannel(control, PER_CHANNEL));
  const before = await settledMemory(server);
  const seats = channels.flatMap((channel) => channel.participants.map((_, seat) => ({ channel, seat })));
  const connections = await openAll(server.url, seats.length);
  const answers = seats.map(({ channel, seat }, index) =>
    connections[index]?.request(pollRequest(channel, seat, PER_CHANNEL)),
  );
  await untilParked(control, seats.length);
  const kilobytes = round(((await settledMemory(server)) - before) / seats.length / 1024, 1);

  const senders = await openAll(server.url, SENDERS);
  const start = performance.now();
  const sends = senders.map(async (sender, index) => {
    for (let at = index; at < channels.length; at += senders.length) {
      const channel = channels[at];
      if (channel) await sender.request(sendRequest(channel, 'wake'));
    }
  });
  const all = await Promise.all(answers);
  const ms = Math.round(performance.now() - start);
  await Promise.all(sends);
  if (!all.every((answer) => answer?.status === 200 && answer.body.includes('"text":"wake"'))) {
    throw new Error('a parked poll was not answered with the message');
  }
  for (const connection of [...connections, ...senders, control]) connection.close();
  await server.stop();
  return { ms, kilobytes };
}

async function holdMany(): Promise<{ parked: number; kilobytes: number }> {
  const server = await startParley(UNLIMITED);
  const control = await Connection.open(server.url);
  const channels: BenchChannel[] = [];
  for (let index = 0; index < HELD / 20; index++) channels.push(await openChannel(control, 20));
  const before = await settledMemory(server);
  const seats = channels.flatMap((channel) => channel.participants.map((_, seat) => ({ channel, seat })));
  const connections = await openAll(server.url, seats.length);
  seats.forEach(({ channel, seat }, index) => {
    connections[index]?.request(pollRequest(channel, seat, 20)).catch(() => undefined);
  });
  const parked = await untilParked(control, seats.length);
  const kilobytes = round(((await settledMemory(server)) - before) / seats.length / 1024, 1);
  for (const connection of [...connections, control]) connection.close();
  await server.stop();
  return { parked, kilobytes };
}

async function openAll(url: string, count: number): Promise<Connection[]> {
  const connections: Connection[] = [];
  while (connections.length < count) {
    const batch = Array.from({ length: Math.min(200, count - connections.length) }, () =>
      Connection.open(url),
    );
    connections.push(...(await Promise.all(batch)));
  }
  return connections;
}

async function untilParked(control: Connection, count: number): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const { body } = await control.request('GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    const parked = Number(/^agentalk_polls_parked (\d+)/m.exec(body)?.[1] ?? 0);
    if (parked >= count) return parked;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`fewer than ${count} polls were parked after 10 s`);
}

async function settledMemory(server: ServerProcess): Promise<number> {
  await server.memory();
  return await server.memory();
}
