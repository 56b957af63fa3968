import { setTimeout as sleep } from 'node:timers/promises';
import { Table } from './actors/rooms.ts';
import { upsert } from './actors/memory.ts';
import { Caller, type Request } from './caller.ts';
import { Follower } from './follower.ts';
import type { Nodes } from './stand/nodes.ts';
import { Tally } from './tally.ts';

type Ask = (key: string | undefined, text: string) => readonly [Request, number];

const whoami: Ask = (key) => [{ method: 'GET', path: '/v1/whoami', key }, 200];

/** What is asked for in turn, and the answer that is success. */
const REQUESTS: readonly Ask[] = [
  (key, text) => [
    {
      method: 'POST',
      path: '/v1/messages',
      body: { to: 'box', from: 'box', body: text },
      headers: { 'Idempotency-Key': text },
      key,
    },
    201,
  ],
  (key, text) => [
    { method: 'POST', path: '/v1/append', body: { path: 'journal/rolling.jsonl', record: { text } }, key },
    200,
  ],
  (key, text) => [
    {
      method: 'POST',
      path: '/v1/continuity/upsert',
      body: upsert(`thread-${text}`, '2026-01-01T00:00:00Z', text),
      key,
    },
    200,
  ],
  (key, text) => [
    {
      method: 'POST',
      path: '/v1/cues',
      body: { name: text, schedule: { type: 'recurring', cron: '0 0 1 1 *' }, transport: 'worker' },
      key,
    },
    201,
  ],
  () => [{ method: 'POST', path: '/channels', body: {} }, 200],
  whoami,
];
const requestOf = (count: number) => REQUESTS[count % REQUESTS.length] ?? whoami;
const CALLERS = REQUESTS.length;

const PATIENCE_MS = 30_000;

export interface RollingRestart {
  readonly requests: number;
  readonly failures: string[];
  /** Spoken in a room, and those that whoever followed its stream has heard. */
  readonly spoken: number[];
  readonly heard: number[];
  /** How often that stream ended and went on by its cursor. */
  readonly cuts: number;
}

/** Requests that are never sent again, and a stream, while one node after the other is stopped in order and started. */
export async function rollingRestart(nodes: Nodes): Promise<RollingRestart> {
  const tally = new Tally();
  const failures: string[] = [];
  const state = { requests: 0, over: false };
  const callers = Array.from({ length: CALLERS }, () => new Caller(() => nodes.url, tally));
  const [first] = callers;
  const owner = await first?.must<{ api_key: string }>({
    method: 'POST',
    path: '/v1/auth/register',
    body: { email: 'rolling@example.com' },
  });
  const key = owner?.api_key;
  await first?.must({ method: 'POST', path: '/v1/agents', body: { slug: 'box' }, key });
  const running = callers.map(async (caller, index) => {
    for (let count = 0; !state.over; count++) {
      const text = `${index}-${count}`;
      // Each of them asks for something else every time.
      const [request, wanted] = requestOf(index + count)(key, text);
      const answer = await caller.once(request);
      state.requests++;
      if (answer?.status !== wanted)
        failures.push(`${request.path} ${text}: ${answer?.status ?? 'cut'} ${answer?.body.slice(0, 100)}`);
      await sleep(5);
    }
    caller.close();
  });
  const talking = new Caller(() => nodes.url, tally);
  const table = new Table(talking);
  await table.sit('rolling');
  const room = await table.open();
  const follower = new Follower(() => nodes.url, room.id, table.session ?? '');
  const talk = (async () => {
    while (!state.over) {
      await table.speak(room, `rolling-${room.turns}`);
      await sleep(50);
    }
  })();
  for (const node of nodes.all) {
    await node.end('SIGTERM');
    await node.start();
    // Until the balancer has seen it.
    await sleep(1500);
  }
  state.over = true;
  await Promise.all([...running, talk]);
  await follower.heard(room.turns, PATIENCE_MS);
  await follower.stop();
  talking.close();
  const spoken = Array.from({ length: room.turns }, (_, turn) => turn);
  return { requests: state.requests, failures, spoken, heard: follower.turns, cuts: follower.cuts };
}
