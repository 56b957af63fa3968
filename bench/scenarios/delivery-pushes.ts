import { Connection, rawRequest } from '../load/connection.ts';
import { TimedHookSink } from '../load/hook-sink.ts';
import { createAgent, json, type MailOwner, OfferListener, registerOwner, send } from '../load/mail.ts';
import { type ServerProcess, startParley } from '../load/server-process.ts';
import { atLeast, atMost, median, percentile, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const WARM_UP = 30;
const PUSHES = 300;
const RATE = 300;
const SECONDS = 8;
const OWNERS = 10;

/** From the POST to whoever it is for: a monitor that waits, and an endpoint; then many while one endpoint hangs. */
export async function deliveryPushes(): Promise<ScenarioResult> {
  const sink = await TimedHookSink.open();
  const server = await startParley({ ...UNLIMITED, PARLEY_CALLBACK_ALLOW: sink.host });
  try {
    const offers = await offerTimes(server);
    const hooks = await hookTimes(server, sink);
    const flood = await whileOneHangs(server, sink);
    return {
      name: 'delivery: pushes to monitors and endpoints',
      rows: [
        { label: 'POST to offer at a waiting monitor, ms (p50 / p99)', value: spread(offers, 0.99) },
        { label: 'POST to first byte at an endpoint, ms (p50 / p95)', value: spread(hooks, 0.95) },
        {
          label: `${RATE} messages a second with ${flood.hanging} requests hanging: POST to endpoint, ms (p50 / p99)`,
          value: spread(flood.times, 0.99),
        },
      ],
      checks: [
        atMost('POST to offer, p50, ms', round(median(offers)), 10),
        atMost('POST to offer, p99, ms', round(percentile(offers, 0.99)), 50),
        atMost('POST to first byte at an endpoint, p95, ms', round(percentile(hooks, 0.95)), 50),
        atLeast('webhooks per second while one endpoint hangs', Math.round(flood.perSecond), 0.97 * RATE),
      ],
    };
  } finally {
    sink.close();
    await server.stop();
  }
}

const spread = (values: readonly number[], share: number): string =>
  `${round(median(values))} / ${round(percentile(values, share))}`;

async function offerTimes(server: ServerProcess): Promise<number[]> {
  const connection = await Connection.open(server.url);
  const owner = await registerOwner(connection);
  await createAgent(connection, owner, { slug: 'app', delivery_capabilities: ['live', 'inbox'] });
  const session = { label: 'main', task_name: 'app-live' };
  await json(connection.request(rawRequest('POST', '/v1/agents/app/live-sessions', session, owner.key)));
  const path = '/v1/agents/app/live-sessions/main/stream';
  const monitor = await OfferListener.open(server.url, path, owner.key);
  const times: number[] = [];
  for (let at = -WARM_UP; at < PUSHES; at++) {
    const start = performance.now();
    const { id } = await send(connection, owner, { to: 'app', body: 'now', delivery_mode: 'live' });
    const came = await monitor.came(id);
    if (at >= 0) times.push(came - start);
    await json(connection.request(rawRequest('POST', `/v1/messages/${id}/ack`, {}, owner.key)));
  }
  monitor.close();
  connection.close();
  return times;
}

async function hookTimes(server: ServerProcess, sink: TimedHookSink): Promise<number[]> {
  const connection = await Connection.open(server.url);
  const owner = await registerOwner(connection);
  await createAgent(connection, owner, { slug: 'sink', webhook_url: `http://${sink.host}/hook` });
  const times: number[] = [];
  for (let at = -WARM_UP; at < PUSHES; at++) {
    const start = performance.now();
    const { id } = await send(connection, owner, { to: 'sink', body: 'now', delivery_mode: 'webhook' });
    const came = await arrival(sink, id);
    if (at >= 0) times.push(came - start);
  }
  connection.close();
  return times;
}

async function arrival(sink: TimedHookSink, id: string): Promise<number> {
  for (;;) {
    const came = sink.came.get(id);
    if (came !== undefined) return came;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** One owner's endpoint holds every request it is allowed; the others are sent a message every few milliseconds. */
async function whileOneHangs(
  server: ServerProcess,
  sink: TimedHookSink,
): Promise<{ perSecond: number; times: number[]; hanging: number }> {
  const connection = await Connection.open(server.url);
  const stuck = await registerOwner(connection);
  await createAgent(connection, stuck, { slug: 'stuck', webhook_url: `http://${sink.host}/hang` });
  for (let at = 0; at < 80; at++) {
    await send(connection, stuck, { to: 'stuck', body: 'wait', delivery_mode: 'webhook' });
  }
  const owners: MailOwner[] = [];
  for (let at = 0; at < OWNERS; at++) {
    const owner = await registerOwner(connection);
    await createAgent(connection, owner, { slug: 'sink', webhook_url: `http://${sink.host}/hook` });
    owners.push(owner);
  }
  const senders = await Promise.all(Array.from({ length: 32 }, () => Connection.open(server.url)));
  const sent: { id: string; start: number }[] = [];
  const begin = performance.now();
  // By the clock and not by the answers: whoever is late does not slow the others down.
  let next = 0;
  const total = RATE * SECONDS;
  await Promise.all(
    senders.map(async (sender) => {
      for (let at = next++; at < total; at = next++) {
        const due = begin + (at * 1000) / RATE;
        const early = due - performance.now();
        if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
        const owner = owners[at % OWNERS];
        if (!owner) continue;
        const start = performance.now();
        const { id } = await send(sender, owner, { to: 'sink', body: 'now', delivery_mode: 'webhook' });
        sent.push({ id, start });
      }
    }),
  );
  const arrivals = await Promise.all(
    sent.map(async ({ id, start }) => {
      const came = await arrival(sink, id);
      return { came, ms: came - start };
    }),
  );
  const end = Math.max(...arrivals.map(({ came }) => came));
  for (const sender of [...senders, connection]) sender.close();
  return {
    perSecond: (total * 1000) / (end - begin),
    times: arrivals.map(({ ms }) => ms),
    hanging: sink.hanging,
  };
}
