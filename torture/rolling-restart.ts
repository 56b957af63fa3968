import { setTimeout as sleep } from 'node:timers/promises';
import { Caller } from './caller.ts';
import type { Nodes } from './stand/nodes.ts';
import { Tally } from './tally.ts';

const CALLERS = 4;

/** Requests that are never sent again, while one node after the other is stopped in order and started. */
export async function rollingRestart(nodes: Nodes): Promise<{ requests: number; failures: string[] }> {
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
  for (const node of nodes.all) {
    await node.end('SIGTERM');
    await node.start();
    // Until the balancer has seen it.
    await sleep(1500);
  }
  state.over = true;
  await Promise.all(running);
  return { requests: state.requests, failures };
}
