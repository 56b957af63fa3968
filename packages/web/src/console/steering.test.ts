import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PersonClient } from '../../../server/src/console/testing/person-client.ts';
import { CueClient } from '../../../server/src/delivery/testing/cue-client.ts';
import { sql } from '../../../server/src/platform/database/sql.ts';
import { describeInBrowser } from '../../../server/src/testing/browser.ts';
import { startServer, type TestServer } from '../../../server/src/testing/start-server.ts';
import { Ledger } from './testing/actions-table.ts';
import { Entrance, FORMS, type Form } from './testing/enter.ts';
import { choose, fillIn, goTo, pressOn, told } from './testing/keyboard.ts';

const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const closed = (page: Page) => expect.poll(() => page.locator('dialog').count()).toBe(0);
const copied = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

/** What needs somebody, what is said and what runs: each thing done once by keyboard alone, wide and light, narrow and dark. */
describeInBrowser('console › steering by keyboard', () => {
  const entrance = new Entrance();
  const ledger = new Ledger('steering');
  let server: TestServer;
  let ann: CueClient;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false, dlLoopMaxHops: 2 });
    ann = await CueClient.register(server, 'ann@example.com');
  });
  afterAll(async () => {
    await entrance.close();
    await server.close();
  });

  /** Two agents that answer each other until they are stopped; the last that came through. */
  const chatter = async (width: number): Promise<string> => {
    const [a, b] = [`ebb-${width}`, `flow-${width}`];
    for (const slug of [a, b]) await ann.create({ slug });
    let last = await ann.send(b, { from: a, subject: `Round and round ${width}` });
    for (let hop = 1; hop < 9; hop += 1) {
      const [from, to] = hop % 2 === 1 ? [b, a] : [a, b];
      const answer = await ann.trySend({ from, to, body: 'and you?', reply_to: last.id });
      if (answer.status !== 201) return last.id;
      last = answer.body;
    }
    throw new Error('nobody stopped them');
  };

  /** A cue whose only run failed, so that it is told. */
  const failing = async (name: string): Promise<string> => {
    const schedule = { type: 'recurring', cron: '0 0 1 1 *' };
    const { id } = await ann.cue({ name, schedule, alerts: { consecutive_failures: 1 } });
    const { execution_id: run } = await ann.fire(id);
    await ann.claim(run);
    await ann.outcome(run, { success: false, error: 'the rope broke' });
    return id;
  };

  test.each(FORMS)('what needs you, at %i pixels, %s', async (...form: Form) => {
    const [width] = form;
    await chatter(width);
    const cue = await failing(`bell ${width}`);
    const page = await entrance.enter(server, form);
    await page.getByText('Needs you: 3').waitFor();
    await pressOn(page, 'Let it go on');
    await told(page, 'The thread goes on');
    await page.getByText('Needs you: 2').waitFor();
    ledger.did(form, 'Overview: let a thread go on');
    await pressOn(page, 'Run again');
    await told(page, 'Runs again');
    await page.getByText('Needs you: 1').waitFor();
    ledger.did(form, 'Overview: run a cue again');
    await pressOn(page, 'Seen');
    await told(page, 'Marked as seen');
    await page.getByText('Nothing. What fails').waitFor();
    ledger.did(form, 'Overview: mark an alert as seen');

    // What runs again waits for a worker; the person says what came of it.
    await ann.call('POST', '/v1/worker/heartbeat', { body: { worker_id: `hand-${width}`, handlers: [] } });
    await goTo(page, 'e', 'Executions');
    await choose(page, 'Show', 'claimable');
    const waiting = page.getByRole('table', { name: 'Claimable executions' });
    await waiting.getByText(`bell ${width}`).waitFor();
    await page.getByText(`hand-${width}`).first().waitFor();
    ledger.did(form, 'Executions: see what can be claimed by whom');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading(page, 'Execution');
    await pressOn(page, 'Mark');
    await fillIn(page, 'In a few words', 'rung by hand');
    await pressOn(page, 'Mark it');
    await told(page, 'Marked');
    await page.getByText('rung by hand').waitFor();
    await page.locator('.view-head .state', { hasText: 'success' }).waitFor();
    ledger.did(form, 'Executions: mark');
    // A link to it opens it, however many there are.
    await page.reload();
    await page.getByText('rung by hand').waitFor();

    await page.goto(`${server.url}/console/cues/${cue}`);
    await pressOn(page, 'Fire now');
    await pressOn(page, 'Fire');
    await told(page, 'Fired');
    const runs = await ann.runs(cue);
    expect(runs).toHaveLength(3);
    for (const { id, outcome } of runs) if (!outcome) await ann.outcome(id, { success: true });
    ledger.did(form, 'Cues: fire');
  });

  test.each(FORMS)('work that a worker took and keeps, at %i pixels, %s', async (...form: Form) => {
    const { id } = await ann.cue({
      name: `buoy ${form[0]}`,
      schedule: { type: 'recurring', cron: '0 0 1 1 *' },
    });
    const { execution_id: run } = await ann.fire(id);
    await ann.claim(run);
    const { database, clock } = server.context;
    const lapsed = sql`UPDATE executions SET lease_expires_at = ${clock.now() - 1} WHERE id = ${run}`;
    await database.write((tx) => tx.run(lapsed));
    const page = await entrance.enter(server, form);
    await page.getByText('and went silent').waitFor();
    await pressOn(page, 'Give it to another');
    await told(page, 'It waits for whoever takes it next');
    await expect.poll(() => page.getByText('and went silent').count()).toBe(0);
    expect((await ann.claim(run)).status).toBe(200);
    await ann.outcome(run, { success: true });
    ledger.did(form, 'Overview: give work of a silent worker to another');
  });

  test.each(FORMS)('agents and threads at %i pixels, %s', async (...form: Form) => {
    const [width] = form;
    const slug = `quay-${width}`;
    await ann.create({ slug });
    const page = await entrance.enter(server, form);
    await goTo(page, 'a', 'Agents');
    await fillIn(page, 'Name', slug);
    await expect.poll(() => page.locator('.table-row').count()).toBe(1);
    ledger.did(form, 'Agents: filter');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await pressOn(page, 'Wake test');
    await heading(page, 'Message Wake test');
    ledger.did(form, 'Agents: test a wake');

    await goTo(page, 'm', 'Messages');
    await pressOn(page, 'Write');
    await fillIn(page, 'To', `${slug}@ann`);
    await fillIn(page, 'Subject', `Ropes of ${width}`);
    await fillIn(page, 'Message', 'Are there enough?');
    await pressOn(page, 'Send');
    await heading(page, `Message Ropes of ${width}`);
    ledger.did(form, 'Messages: write as a person');
    await ann.inbox(slug);

    // By subject, then marked and sent on its way again.
    await goTo(page, 'm', 'Messages');
    await fillIn(page, 'Subject', 'ROPES of');
    await choose(page, 'Priority', '3');
    await page.locator('.table-row', { hasText: `Ropes of ${width}` }).waitFor();
    await expect.poll(() => page.locator('.table-row', { hasText: 'Wake test' }).count()).toBe(0);
    expect(page.url()).toContain('priority=3');
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await pressOn(page, 'Route again');
    await told(page, 'Routed anew');
    ledger.did(form, 'Messages: replay');

    await chatter(width * 10);
    await goTo(page, 'o', 'Overview');
    await goTo(page, 'm', 'Messages');
    const stopped = page.locator('.table-row', { hasText: `Round and round ${width * 10}` });
    await stopped.getByText('they answered each other too often').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await pressOn(page, 'Let it go on');
    await told(page, 'The thread goes on');
    await expect.poll(() => page.getByText('they answered each other too often').count()).toBe(0);
    ledger.did(form, 'Messages: resume a stopped thread');

    const last = await chatter(width * 100);
    await page.goto(`${server.url}/console/messages/${last}`);
    await pressOn(page, 'Resume the thread');
    await told(page, 'The thread goes on');
    await expect.poll(() => page.getByRole('button', { name: 'Resume the thread' }).count()).toBe(0);
    ledger.did(form, 'Message: resume its stopped thread');
  });

  test.each(FORMS)('what is copied and set at %i pixels, %s', async (...form: Form) => {
    const page = await entrance.enter(server, form, { permissions: ['clipboard-read', 'clipboard-write'] });
    await goTo(page, 'l', 'Channels');
    await pressOn(page, /^Copy the command/);
    await told(page, 'Copied');
    expect(await copied(page)).toContain('/llms.txt');
    ledger.did(form, 'Channels: copy the command that starts one');
    await goTo(page, 'v', 'Activity');
    await page.getByRole('row').nth(1).waitFor();
    await fillIn(page, 'Words', 'session');
    await fillIn(page, 'Who', 'operator');
    await choose(page, 'Did', 'signed in');
    const shown = page.locator('.table-row');
    await expect.poll(() => shown.filter({ hasNotText: 'signed in' }).count()).toBe(0);
    await shown.first().waitFor();
    ledger.did(form, 'Activity: find by words, who and what was done');
    await pressOn(page, 'Copy as JSON lines');
    await told(page, 'Copied as JSON lines');
    const lines = (await copied(page)).split('\n').map((line) => JSON.parse(line) as { action: string });
    expect(new Set(lines.map(({ action }) => action))).toEqual(new Set(['signed_in']));
    ledger.did(form, 'Activity: copy as JSON lines');

    const other = await PersonClient.operator(server);
    await page.reload();
    await heading(page, 'Activity');
    await goTo(page, 's', 'Settings');
    await page.getByRole('button', { name: 'End', exact: true }).first().waitFor();
    const root = page.locator('html');
    await pressOn(page, 'dark');
    await expect.poll(() => root.getAttribute('data-theme')).toBe('dark');
    await pressOn(page, 'dense rows');
    await expect.poll(() => root.getAttribute('data-density')).toBe('dense');
    await pressOn(page, 'times in UTC');
    expect(await page.evaluate(() => localStorage.getItem('parley.console.zone'))).toBe('UTC');
    ledger.did(form, 'Settings: theme, time zone and density');
    // The newest stands first.
    await pressOn(page, 'End');
    await pressOn(page, 'End it');
    await told(page, 'The session is ended');
    await closed(page);
    expect((await other.call('GET', '/v1/console/session')).status).toBe(401);
    ledger.did(form, 'Settings: end a session');

    const own = await entrance.open(form);
    await own.goto(`${server.url}/console`);
    await fillIn(own, 'Your owner-wide key', ann.owner.key);
    await own.keyboard.press('Enter');
    await heading(own, 'Overview');
    await goTo(own, 's', 'Settings');
    await own.getByText('None. A key lets').or(own.getByText('made')).first().waitFor();
    await pressOn(own, 'New key');
    await fillIn(own, 'What it is for', `the pier at ${form[0]}`);
    await pressOn(own, 'Make it');
    await own.getByText('it is not shown again').waitFor();
    await pressOn(own, 'Done');
    await own.getByText(`the pier at ${form[0]}`).waitFor();
    ledger.did(form, 'Settings: make a key');
  });

  test('nothing of it was left out', () => {
    expect(ledger.missing()).toEqual([]);
  });
});
