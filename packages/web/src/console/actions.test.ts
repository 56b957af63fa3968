import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MessageClient } from '../../../server/src/delivery/testing/message-client.ts';
import { operatorCode } from '../../../server/src/identity/sign-ins/operator-code.ts';
import { describeInBrowser, sharedBrowser } from '../../../server/src/testing/browser.ts';
import { startServer, type TestServer } from '../../../server/src/testing/start-server.ts';
import { WebhookSink } from '../../../server/src/testing/webhook-sink.ts';
import { fillIn, goTo, pressOn, tabTo, told } from './testing/keyboard.ts';

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();
const closed = (page: Page) => expect.poll(() => page.locator('dialog').count()).toBe(0);

/** What is done, each once and by keyboard alone, wide and light, narrow and dark. */
describeInBrowser('console › actions by keyboard', () => {
  let server: TestServer;
  let ann: MessageClient;
  let sink: WebhookSink;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    server = await startServer({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    ann = await MessageClient.register(server, 'ann@example.com');
    sink = await new WebhookSink().listen();
  });
  afterAll(async () => {
    for (const context of contexts) await context.close();
    await server.close();
    await sink.close();
  });

  const enter = async (width: number, colorScheme: 'light' | 'dark'): Promise<Page> => {
    const context = await (await sharedBrowser()).newContext({
      viewport: { width, height: 900 },
      colorScheme,
    });
    contexts.push(context);
    const page = await context.newPage();
    const { secrets, clock } = server.context;
    await page.goto(`${server.url}/console#code=${operatorCode(secrets, clock.now())}`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    return page;
  };
  test.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('agents and messages at %i pixels, %s', async (width, scheme) => {
    const page = await enter(width, scheme);
    const slug = `bell-${width}`;
    await goTo(page, 'a', 'Agents');
    await pressOn(page, 'New agent');
    await fillIn(page, 'Name in its address', slug);
    await pressOn(page, 'Create');
    await heading(page, `${slug}@ann`);

    // A view is called so, too.
    await pressOn(page, 'Skip to the content');
    await pressOn(page, 'Settings');
    await fillIn(page, 'Webhook URL', sink.url());
    await pressOn(page, 'Save');
    await told(page, 'Saved');
    await page.getByRole('button', { name: 'New webhook secret' }).waitFor();
    await pressOn(page, 'New webhook secret');
    await pressOn(page, 'Replace it');
    await page.getByText('it is not shown again').waitFor();
    await pressOn(page, 'Done');
    await closed(page);

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

    await goTo(page, 'm', 'Messages');
    await page.getByText(`fog at ${width}`).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading(page, `fog at ${width}`);
    await pressOn(page, 'Route again');
    await told(page, 'Routed anew');
    await pressOn(page, 'Resume the thread');
    await told(page, 'The thread goes on');
    await pressOn(page, 'Reply');
    await fillIn(page, 'Message', 'Once more.');
    await pressOn(page, 'Send');
    await closed(page);
    const replied = page.url();
    await page.locator('.path').waitFor();
    await pressOn(page, 'Send again');
    await told(page, 'Sent again');
    expect(page.url()).not.toBe(replied);
    await page.locator('.path').waitFor();
    await pressOn(page, 'Take back');
    await pressOn(page, 'Take it back');
    await told(page, 'Taken back');
    await page.locator('.view-head .state', { hasText: 'expired' }).waitFor();

    await goTo(page, 'e', 'Executions');
    await page.getByRole('row').nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await pressOn(page, 'Run again');
    await page.locator('.toast').first().waitFor();

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
    await pressOn(page, 'Revoke');
    await pressOn(page, 'Revoke');
    await told(page, 'The key is revoked');
    await closed(page);
    await pressOn(page, 'Rename');
    await fillIn(page, 'New name in its address', `${slug}-b`);
    await pressOn(page, 'Rename');
    await heading(page, `${slug}-b@ann`);
    await page.reload();
    await pressOn(page, 'Wake test');
    await heading(page, 'Wake test');
    await page.goBack();
    await heading(page, `${slug}-b@ann`);
    await pressOn(page, 'Delete');
    await fillIn(page, /^Type/, `${slug}-b`);
    await pressOn(page, 'Delete');
    await heading(page, 'Agents');
    await expect.poll(() => page.getByText(`${slug}-b@ann`, { exact: true }).count()).toBe(0);
  });

  test.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('cues at %i pixels, %s', async (width, scheme) => {
    const page = await enter(width, scheme);
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

    await pressOn(page, 'Fire now');
    await fillIn(page, /^Payload/, '{"body": "now"}');
    await pressOn(page, 'Fire');
    await told(page, 'Fired');
    await expect.poll(() => page.locator('.run-grid .mark').count()).toBe(1);
    await pressOn(page, 'Pause');
    await told(page, 'is paused');
    await pressOn(page, 'Resume');
    await told(page, 'goes on');
    await pressOn(page, 'Edit');
    await fillIn(page, 'Cron line', '0 6 * * 1-5');
    await page.getByText('on weekdays, at 06:00').waitFor();
    await pressOn(page, 'Save');
    await told(page, 'Saved');
    await closed(page);
    await page.getByText('on weekdays, at 06:00').waitFor();
    await pressOn(page, 'Backfill');
    await tabTo(page, 'Go on');
    await page.keyboard.press('Enter');
    await page
      .getByText(/lie in between|no time in between|past/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await goTo(page, 'c', 'Cues');
    await page.getByRole('row', { name: new RegExp(`high water ${width}`) }).waitFor();
  });
});
