import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MessageClient } from '../../../server/src/delivery/testing/message-client.ts';
import { describeInBrowser } from '../../../server/src/testing/browser.ts';
import { startServer, type TestServer } from '../../../server/src/testing/start-server.ts';
import { WebhookSink } from '../../../server/src/testing/webhook-sink.ts';
import { Ledger } from './testing/actions-table.ts';
import { Entrance, FORMS, type Form } from './testing/enter.ts';
import { choose, fillIn, goTo, pressOn, told } from './testing/keyboard.ts';

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();
const closed = (page: Page) => expect.poll(() => page.locator('dialog').count()).toBe(0);

/** What is done, each once and by keyboard alone, wide and light, narrow and dark. */
describeInBrowser('console › actions by keyboard', () => {
  let server: TestServer;
  let ann: MessageClient;
  let sink: WebhookSink;
  const entrance = new Entrance();
  const ledger = new Ledger('actions');

  beforeAll(async () => {
    server = await startServer({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    ann = await MessageClient.register(server, 'ann@example.com');
    sink = await new WebhookSink().listen();
  });
  afterAll(async () => {
    await entrance.close();
    await server.close();
    await sink.close();
  });

  test.each(FORMS)('agents and messages at %i pixels, %s', async (...form: Form) => {
    const [width] = form;
    const page = await entrance.enter(server, form);
    const slug = `bell-${width}`;
    await goTo(page, 'a', 'Agents');
    await pressOn(page, 'New agent');
    await fillIn(page, 'Name in its address', slug);
    await pressOn(page, 'Create');
    await heading(page, `${slug}@ann`);
    ledger.did(form, 'Agents: create');

    // A view is called so, too.
    await pressOn(page, 'Skip to the content');
    await pressOn(page, 'Settings');
    await fillIn(page, 'Webhook URL', sink.url());
    await choose(page, 'Who may write to it', 'anyone');
    await pressOn(page, 'Save');
    await told(page, 'Saved');
    expect((await ann.call('GET', `/v1/agents/${slug}`)).body).toMatchObject({
      webhook_url: sink.url(),
      inbound_policy: 'anyone',
    });
    ledger.did(form, 'Agent: set a webhook', 'Agent: set policies');
    await page.getByRole('button', { name: 'New webhook secret' }).waitFor();
    await pressOn(page, 'New webhook secret');
    await pressOn(page, 'Replace it');
    await page.getByText('it is not shown again').waitFor();
    await pressOn(page, 'Done');
    await closed(page);
    ledger.did(form, 'Agent: replace the secret of its webhook');

    // Whoever receives is gone: it stands under "Needs you", and goes when it is back and was tried again.
    sink.answer = () => 410;
    await pressOn(page, 'Write');
    await fillIn(page, 'Subject', `fog at ${width}`);
    await fillIn(page, 'Message', 'Ring, please.');
    await pressOn(page, 'Send');
    await heading(page, `fog at ${width}`);
    await page.getByText('It did not arrive').waitFor();
    await goTo(page, 'o', 'Overview');
    await page.getByText(`A message did not reach ${slug}@ann`).waitFor();
    sink.answer = () => 200;
    await pressOn(page, 'Try again');
    await told(page, 'On its way again');
    await expect.poll(() => page.getByText(`A message did not reach ${slug}@ann`).count()).toBe(0);
    ledger.did(form, 'Overview: try a message again');

    await goTo(page, 'm', 'Messages');
    await fillIn(page, 'Subject', `fog at ${width}`);
    await expect.poll(() => page.locator('.table-row').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading(page, `fog at ${width}`);
    await pressOn(page, 'Route again');
    await told(page, 'Routed anew');
    ledger.did(form, 'Message: route again');
    // Nobody stopped it.
    expect(await page.getByRole('button', { name: 'Resume the thread' }).count()).toBe(0);
    await pressOn(page, 'Reply');
    await fillIn(page, 'Message', 'Once more.');
    await pressOn(page, 'Send');
    await closed(page);
    const replied = page.url();
    await page.locator('.path').waitFor();
    await page.getByText('Also in this thread').waitFor();
    ledger.did(form, 'Messages: reply');
    await pressOn(page, 'Send again');
    await told(page, 'Sent again');
    expect(page.url()).not.toBe(replied);
    ledger.did(form, 'Message: send again');
    await page.locator('.path').waitFor();
    await pressOn(page, 'Take back');
    await pressOn(page, 'Take it back');
    await told(page, 'Taken back');
    await page.locator('.view-head .state', { hasText: 'expired' }).waitFor();
    ledger.did(form, 'Message: take back');

    await goTo(page, 'e', 'Executions');
    await page.getByRole('row').nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await pressOn(page, 'Run again');
    await page.locator('.toast').first().waitFor();
    ledger.did(form, 'Executions: run again');

    await page.keyboard.press('Control+k');
    await page.keyboard.type(slug);
    await page.getByRole('option', { name: new RegExp(slug) }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, `${slug}@ann`);
    await pressOn(page, 'New key');
    await fillIn(page, 'What it is for', 'the fog');
    await pressOn(page, 'Make it');
    await pressOn(page, 'Done');
    await page.getByText('the fog').waitFor();
    ledger.did(form, 'Agent: make a key');
    await pressOn(page, 'Revoke');
    await pressOn(page, 'Revoke');
    await told(page, 'The key is revoked');
    ledger.did(form, 'Agent: revoke a key');
    await closed(page);
    await pressOn(page, 'Rename');
    await fillIn(page, 'New name in its address', `${slug}-b`);
    await pressOn(page, 'Rename');
    await heading(page, `${slug}-b@ann`);
    ledger.did(form, 'Agent: rename');
    await page.reload();
    await pressOn(page, 'Wake test');
    await heading(page, 'Wake test');
    ledger.did(form, 'Agent: test a wake');
    await page.goBack();
    await heading(page, `${slug}-b@ann`);
    await pressOn(page, 'Delete');
    await fillIn(page, /^Type/, `${slug}-b`);
    await pressOn(page, 'Delete');
    await heading(page, 'Agents');
    await expect.poll(() => page.getByText(`${slug}-b@ann`, { exact: true }).count()).toBe(0);
    ledger.did(form, 'Agent: delete after typing its name');
  });

  test.each(FORMS)('cues at %i pixels, %s', async (...form: Form) => {
    const [width] = form;
    const page = await entrance.enter(server, form);
    const slug = `tide-${width}`;
    await ann.create({ slug });
    await goTo(page, 'c', 'Cues');
    await pressOn(page, 'New cue');
    await fillIn(page, 'Name', `high water ${width}`);
    await fillIn(page, 'Cron line', 'never');
    await page.locator('dialog .danger-text').waitFor();
    await fillIn(page, 'Cron line', '*/30 * * * *');
    await page.getByText('every 30 minutes').waitFor();
    await expect.poll(() => page.locator('.preview li').count()).toBe(5);
    await fillIn(page, 'Agent', `${slug}@ann`);
    await pressOn(page, 'Create');
    await heading(page, `high water ${width}`);
    ledger.did(form, 'Cues: create with a preview');

    await pressOn(page, 'Fire now');
    await fillIn(page, /^Payload/, '{"body": "now"}');
    await pressOn(page, 'Fire');
    await told(page, 'Fired');
    await expect.poll(() => page.locator('.run-grid .mark').count()).toBe(1);
    ledger.did(form, 'Cue: fire with a payload');
    await pressOn(page, 'Pause');
    await told(page, 'is paused');
    ledger.did(form, 'Cues: pause');
    await pressOn(page, 'Resume');
    await told(page, 'goes on');
    ledger.did(form, 'Cues: resume');
    await pressOn(page, 'Edit');
    await fillIn(page, 'Cron line', '0 6 * * 1-5');
    await page.getByText('on weekdays, at 06:00').waitFor();
    await pressOn(page, 'Save');
    await told(page, 'Saved');
    await closed(page);
    await page.getByText('on weekdays, at 06:00').waitFor();
    ledger.did(form, 'Cues: edit');
    await pressOn(page, 'Backfill');
    await choose(page, 'And', 'run');
    await pressOn(page, 'Go on');
    await page.getByText(/These run now|There is no time in between/).waitFor();
    await pressOn(page, 'Done');
    await closed(page);
    ledger.did(form, 'Cue: backfill');
    await goTo(page, 'c', 'Cues');
    await page.getByRole('row', { name: new RegExp(`high water ${width}`) }).waitFor();
  });

  test('nothing of it was left out', () => {
    expect(ledger.missing()).toEqual([]);
  });
});
