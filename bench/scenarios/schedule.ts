import { create } from '@parley/server/schedule/operations';
import { type BenchServer, onBothStores } from '../load/both-stores.ts';
import { Connection, rawRequest } from '../load/connection.ts';
import { json, registerOwner } from '../load/mail.ts';
import { atMost, median, percentile, round, type ScenarioResult } from '../result.ts';

const ITEMS = 10_000;
const TOGETHER = 50;
const LISTS = 100;
const WARM = 10;

/** Pages of a long list of reminders, which also say how many there are, on both databases. */
export async function schedule(): Promise<ScenarioResult> {
  const { measured, missing } = await onBothStores(measure);
  return {
    name: `schedule: lists of ${ITEMS} reminders`,
    rows: [
      ...measured.flatMap(({ store, figures: { perSecond, pages } }) => [
        {
          label: `${store}: reminders made per second, in the process`,
          value: String(Math.round(perSecond)),
        },
        ...Object.entries(pages).map(([name, times]) => ({
          label: `${store}: ${name} page, ms (p50 / p95)`,
          value: `${round(median(times))} / ${round(percentile(times, 0.95))}`,
        })),
      ]),
      ...missing,
    ],
    checks: measured.flatMap(({ store, figures: { pages } }) =>
      Object.entries(pages).map(([name, times]) =>
        atMost(`${store}: ${name} page of ${ITEMS}, p95, ms`, round(percentile(times, 0.95)), 50),
      ),
    ),
  };
}

async function measure({ url, context }: BenchServer) {
  const connection = await Connection.open(url);
  const { key } = await registerOwner(connection);
  const caller = await context.identity.authenticate(key);
  if (!caller) throw new Error('a key that was just made is not known');
  const start = performance.now();
  for (let at = 0; at < ITEMS; at += TOGETHER) {
    const made = Array.from({ length: TOGETHER }, (_, more) =>
      create(context.schedule, { caller, raw: itemOf(at + more) }),
    );
    await Promise.all(made);
  }
  const perSecond = (ITEMS * 1000) / (performance.now() - start);
  const pages = {
    first: await timed(connection, '?limit=200', key),
    last: await timed(connection, '?limit=200&offset=9800', key),
    due: await timed(connection, '?due=false&thread_id=th-7', key),
  };
  connection.close();
  return { perSecond, pages };
}

const itemOf = (at: number): object => ({
  kind: 'reminder',
  title: `reminder ${at}`,
  due_at: `${new Date(Date.UTC(2090, 0, 1) + ((at * 7919) % ITEMS) * 1000).toISOString().slice(0, 19)}Z`,
  thread_id: `th-${at % 100}`,
});

async function timed(connection: Connection, query: string, key: string): Promise<number[]> {
  const request = rawRequest('GET', `/v1/schedule/items${query}`, undefined, key);
  const times: number[] = [];
  for (let at = -WARM; at < LISTS; at++) {
    const start = performance.now();
    const { total } = (await json(connection.request(request))) as { total: number };
    if (total === 0) throw new Error('an empty list says nothing');
    if (at >= 0) times.push(performance.now() - start);
  }
  return times;
}
