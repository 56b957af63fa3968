import { setTimeout as sleep } from 'node:timers/promises';
import { Table } from './actors/rooms.ts';
import { Caller } from './caller.ts';
import { Follower } from './follower.ts';
import type { Nodes } from './stand/nodes.ts';
import { Tally } from './tally.ts';

const CALLERS = 4;

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
      const answer = await caller.once({
        method: 'POST',
        path: '/v1/messages',
        body: { to: 'box', from: 'box', body: text },
        headers: { 'Idempotency-Key': text },
        key,
      });
      state.requests++;
      if (answer?.status !== 201)
        failures.push(`${text}: ${answer?.status ?? 'cut'} ${answer?.body.slice(0, 100)}`);
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
