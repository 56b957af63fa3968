import { Connection, rawRequest } from '../load/connection.ts';
import { Listeners } from '../load/listeners.ts';
import {
  type BenchRoom,
  messageRequest,
  openRoom,
  readContext,
  registerAgent,
  speakerOf,
} from '../load/room.ts';
import { type ServerProcess, startBareStreams, startParley } from '../load/server-process.ts';
import { atLeast, atMost, percentile, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const LISTENERS = 5_000;
const MESSAGES = 20;
const WARM_UP = 2;
const PATIENCE_MS = 30_000;
const TEXT = 'How long may a tide entry live? I say one day. '.repeat(8);

/** One room, 5,000 listeners: from the send to each of them, against bare `node:http` that writes the same bytes. */
export async function roomListeners(): Promise<ScenarioResult> {
  const parley = await roomSide();
  const bare = await bareSide(parley.frame);
  const times: Record<'parley' | 'bare', number[]> = { parley: [], bare: [] };
  for (let message = -WARM_UP; message < MESSAGES; message++) {
    // Each goes first every other time.
    const order = message % 2 === 0 ? (['parley', 'bare'] as const) : (['bare', 'parley'] as const);
    for (const side of order) {
      const taken = await (side === 'parley' ? parley : bare).deliver();
      if (message >= 0) times[side].push(...taken);
    }
  }
  await parley.stop();
  await bare.stop();
  const [ours, theirs] = [percentile(times.parley, 0.99), percentile(times.bare, 0.99)];
  return {
    name: `rooms: ${LISTENERS} listeners on one room, ${MESSAGES} messages`,
    rows: [
      { label: 'p99 delivery, ms', value: String(round(ours, 1)) },
      { label: 'p99 delivery of bare node:http, ms', value: String(round(theirs, 1)) },
      {
        label: 'median delivery, ms',
        value: `${round(percentile(times.parley, 0.5), 1)} (bare ${round(percentile(times.bare, 0.5), 1)})`,
      },
      { label: 'memory per idle stream, KB', value: `${parley.kilobytes} (bare ${bare.kilobytes})` },
    ],
    checks: [
      atMost('p99 delivery against bare node:http', round(ours / theirs), 1.5),
      atLeast('deliveries received', times.parley.length, LISTENERS * MESSAGES),
      atMost('memory per idle stream, KB', parley.kilobytes, 25),
    ],
  };
}

interface Side {
  readonly kilobytes: number;
  deliver(): Promise<number[]>;
  stop(): Promise<void>;
}

async function roomSide(): Promise<Side & { frame: string }> {
  const server = await startParley(UNLIMITED);
  const control = await Connection.open(server.url);
  const agents = [await registerAgent(control, 'harbour'), await registerAgent(control, 'pier')] as const;
  const room = await openRoom(control, agents);
  const frame = await exampleFrame(control, room);
  const since = /^id: (\d+)/.exec(frame)?.[1];
  const path = `/v1/rooms/${room.id}/events?since=${since}`;
  const side = await listenTo(server, rawRequest('GET', path, undefined, agents[0].session));
  return {
    frame,
    kilobytes: side.kilobytes,
    async deliver() {
      const { turn } = await readContext(control, room, agents[0]);
      const agent = speakerOf(room, turn);
      const request = messageRequest(room, agent, await readContext(control, room, agent), TEXT);
      return await side.listeners.deliver(() => control.request(request), PATIENCE_MS);
    },
    stop: () => side.stop(control),
  };
}

async function bareSide(frame: string): Promise<Side> {
  const server = await startBareStreams();
  const control = await Connection.open(server.url);
  const side = await listenTo(server, rawRequest('GET', '/'));
  const request = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${frame.length}\r\n\r\n${frame}`;
  return {
    kilobytes: side.kilobytes,
    deliver: () => side.listeners.deliver(() => control.request(request), PATIENCE_MS),
    stop: () => side.stop(control),
  };
}

async function listenTo(server: ServerProcess, request: string) {
  // A first few, so that what the first stream loads is not counted as belonging to it.
  const early = new Listeners();
  await early.open(server.url, request, 50);
  early.close();
  const before = await settledMemory(server);
  const listeners = new Listeners();
  await listeners.open(server.url, request, LISTENERS);
  const kilobytes = round(((await settledMemory(server)) - before) / LISTENERS / 1024, 1);
  const stop = async (control: Connection): Promise<void> => {
    listeners.close();
    control.close();
    await server.stop();
  };
  return { listeners, kilobytes, stop };
}

/** The bytes of a message's frame, as the room sends them. */
async function exampleFrame(control: Connection, room: BenchRoom): Promise<string> {
  const [agent] = room.agents;
  const sent = await control.request(
    messageRequest(room, agent, await readContext(control, room, agent), TEXT),
  );
  if (sent.status !== 201) throw new Error(`unexpected answer ${sent.status}: ${sent.body}`);
  const history = rawRequest('GET', `/v1/rooms/${room.id}/events/history`, undefined, agent.session);
  const { body } = await control.request(history);
  const data = (JSON.parse(body) as { items: { event_id: number; type: string }[] }).items.at(-1);
  return `id: ${data?.event_id}\nevent: ${data?.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

async function settledMemory(server: ServerProcess): Promise<number> {
  await server.memory();
  return await server.memory();
}
