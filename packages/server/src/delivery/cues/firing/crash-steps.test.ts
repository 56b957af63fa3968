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

const urlOf = (child: Child): Promise<string> => child.until((line) => line.startsWith('http'));

describeEachDatabase('cues › kill -9 at each step of a fire', (_open, { location, dialect }) => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('each time has one execution, whoever it is for', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-cue-steps-'));
    cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const sink = await new WebhookSink().listen();
    cleanups.push(() => sink.close());
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

    // On PostgreSQL those around the commit, which is what differs there.
    const steps = dialect === 'sqlite' ? STEPS : STEPS.slice(2, 5);
    const first = await rise(0);
    const server = { url: await urlOf(first) };
    const { owner } = await CueClient.register(server);
    const client = new CueClient(new People(server), owner);
    await client.create({ slug: 'box' });
    const begin = Date.now() + HOUR;
    for (const [step] of steps.entries()) {
      const schedule = { type: 'once', at: new Date(begin + step * APART).toISOString() };
      await client.cue({ schedule });
      await client.cue({ schedule, agent: 'box', transport: undefined, delivery_mode: 'inbox' });
      await client.cue({ schedule, transport: 'webhook', callback: { url: sink.url() } });
    }
    await first.kill();

    const ahead = (step: number): number => begin + step * APART + 1000 - Date.now();
    for (const [step, death] of steps.entries()) {
      const child = await rise(ahead(step), death);
      if (child.process.exitCode === null && child.process.signalCode === null) {
        await once(child.process, 'exit');
      }
      expect(child.process.signalCode).toBe('SIGKILL');
    }

    server.url = await urlOf(await rise(ahead(steps.length)));
    const all = 3 * steps.length;
    await expect
      .poll(async () => (await client.executions({ limit: 1 })).total, { timeout: 30_000 })
      .toBe(all);
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
});
