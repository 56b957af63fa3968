import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { People } from '../../../identity/testing/people.ts';
import { type Child, startChild } from '../../../testing/child-program.ts';
import { describeEachDatabase } from '../../../testing/databases.ts';
import type { Death } from '../../../testing/death.ts';
import { WebhookSink } from '../../../testing/webhook-sink.ts';
import { CueClient } from '../../testing/cue-client.ts';

const HOUR = 3_600_000;
/** More than what was claimed by a dead process stays claimed. */
const APART = 10 * 60_000;

/** The way of a fire, and where it is cut off. */
const STEPS: readonly Death[] = [
  // Its timer is due, and not claimed yet.
  { before: '^\\s*UPDATE jobs SET leased_by.*"delivery.cue"' },
  // Claimed, and going on to its next time.
  { before: '^\\s*UPDATE cues SET next_run' },
  // Routed, and not stored yet.
  { before: '^\\s*INSERT INTO executions' },
  // Stored, but not the message that it comes as.
  { before: '^\\s*INSERT INTO messages' },
  // On disk, and nobody has heard of it.
  { after: '^\\s*INSERT INTO executions' },
  // Posted and answered, which is not written down yet.
  { before: '^\\s*UPDATE executions SET .*http_status' },
];

/** What follows from a fire, and where it is cut off. */
const CONSEQUENCES: readonly Death[] = [
  // It succeeded, and the cue that comes after it is not fired yet.
  { before: '^\\s*INSERT INTO executions.*"chain"' },
  // That is on disk, and nobody has heard of it.
  { after: '^\\s*INSERT INTO executions.*"chain"' },
  // Nothing was reported by the deadline, which is not written down yet.
  { before: '^\\s*UPDATE executions SET .*"outcome_timeout"' },
  // Written down, but not the alert.
  { before: '^\\s*INSERT INTO alerts' },
  // On disk with the alert and all that is to be posted.
  { after: '^\\s*INSERT INTO alerts' },
  // One that was fired for later sets out.
  { before: '^\\s*INSERT INTO messages.*"box later"' },
];

const urlOf = (child: Child): Promise<string> => child.until((line) => line.startsWith('http'));

describeEachDatabase('cues › kill -9 at each step of a fire', (_open, { location, dialect }) => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  /** A store with an owner, whose servers end where they are told to. */
  const scene = async (sink: WebhookSink) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-cue-steps-'));
    cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const at = await location();
    const settings = {
      dataDir,
      rateLimits: false,
      secretKey: '5'.repeat(64),
      callbackAllow: [sink.host],
      ...('url' in at && { databaseUrl: at.url }),
    };
    const rise = async (ahead: number, death: Death = {}): Promise<Child> => {
      const args = [JSON.stringify(settings), String(ahead), JSON.stringify(death)];
      const child = await startChild('serve-delivery', args);
      cleanups.push(() => child.kill());
      return child;
    };
    const first = await rise(0);
    const server = { url: await urlOf(first) };
    const { owner } = await CueClient.register(server);
    const client = new CueClient(new People(server), owner);
    const begin = Date.now() + HOUR;
    const timeOf = (step: number): string => new Date(begin + step * APART).toISOString();
    const ahead = (step: number): number => begin + step * APART + 1000 - Date.now();

    /** Lets what is due in each step begin on a server that ends in it, and everything on one that does not. */
    const walk = async (steps: readonly Death[]): Promise<void> => {
      await first.kill();
      for (const [step, death] of steps.entries()) {
        const child = await rise(ahead(step), death);
        if (child.process.exitCode === null && child.process.signalCode === null) {
          await once(child.process, 'exit');
        }
        expect(child.process.signalCode).toBe('SIGKILL');
      }
      server.url = await urlOf(await rise(ahead(steps.length)));
    };
    return { client, timeOf, walk };
  };

  const listening = async (): Promise<WebhookSink> => {
    const sink = await new WebhookSink().listen();
    cleanups.push(() => sink.close());
    return sink;
  };

  test('each time has one execution, whoever it is for', async () => {
    const sink = await listening();
    const { client, timeOf, walk } = await scene(sink);
    // On PostgreSQL those around the commit, which is what differs there.
    const steps = dialect === 'sqlite' ? STEPS : STEPS.slice(2, 5);
    await client.create({ slug: 'box' });
    for (const [step] of steps.entries()) {
      const schedule = { type: 'once', at: timeOf(step) };
      await client.cue({ schedule });
      await client.cue({ schedule, agent: 'box', transport: undefined, delivery_mode: 'inbox' });
      await client.cue({ schedule, transport: 'webhook', callback: { url: sink.url() } });
    }
    await walk(steps);

    const all = 3 * steps.length;
    await expect.poll(async () => (await client.executions({ limit: 1 })).total).toBe(all);
    const { cues } = await client.cues({ limit: 100 });
    expect(cues.map(({ fired_count: fired }) => fired)).toEqual(Array.from({ length: all }, () => 1));
    const { messages } = await client.inbox('box', { limit: 100 });
    expect(messages).toHaveLength(steps.length);
    await expect
      .poll(
        async () => (await client.executions({ status: 'success', delivery_route: 'webhook_direct' })).total,
        {
          timeout: 30_000,
        },
      )
      .toBe(steps.length);
    const posted = new Set(sink.received.map(({ body }) => body.execution_id));
    expect(posted.size).toBe(steps.length);
  }, 240_000);

  test('what follows from one is done once: the next cue, the alert, and what waited for its time', async () => {
    const sink = await listening();
    sink.answer = ({ path }) => ({ status: 200, text: path === '/done' ? '{"success":true}' : 'thank you' });
    const { client, timeOf, walk } = await scene(sink);
    const steps = dialect === 'sqlite' ? CONSEQUENCES : CONSEQUENCES.slice(1, 4);
    await client.create({ slug: 'box' });
    await client.create({ slug: 'next' });
    await client.call('PATCH', '/v1/auth/me', { body: { alert_webhook_url: sink.url('/alert') } });
    const yearly = { type: 'recurring', cron: '@yearly' };
    const toInbox = { schedule: yearly, transport: undefined, delivery_mode: 'inbox' };
    const next = await client.cue({ ...toInbox, agent: 'next' });
    const later = await client.cue({ ...toInbox, agent: 'box', name: 'box later' });
    for (const [step] of steps.entries()) {
      const webhook = { schedule: { type: 'once', at: timeOf(step) }, transport: 'webhook' };
      await client.cue({ ...webhook, callback: { url: sink.url('/done') }, on_success_fire: next.id });
      await client.cue({
        ...webhook,
        callback: { url: sink.url('/silent') },
        delivery: { outcome_deadline_seconds: 1 },
        on_failure: { webhook: sink.url('/failed') },
      });
      await client.fire(later.id, { send_at: timeOf(step) });
    }
    await walk(steps);

    const told = async () => ({
      followed: (await client.executions({ triggered_by: 'chain' })).total,
      silent: (await client.executions({ status: 'outcome_timeout' })).total,
      alerts: (await client.call<{ total: number }>('GET', '/v1/alerts')).body.total,
      next: (await client.inbox('next', { limit: 100, peek: 'true' })).total,
      box: (await client.inbox('box', { limit: 100, peek: 'true' })).total,
      posted: new Set(sink.received.filter(({ path }) => path === '/alert').map(({ body }) => body.alert_id))
        .size,
      failed: new Set(
        sink.received.filter(({ path }) => path === '/failed').map(({ body }) => body.execution_id),
      ).size,
    });
    const each = steps.length;
    await expect.poll(told, { interval: 500 }).toEqual({
      followed: each,
      silent: each,
      alerts: each,
      next: each,
      box: each,
      posted: each,
      failed: each,
    });
  }, 240_000);
});
