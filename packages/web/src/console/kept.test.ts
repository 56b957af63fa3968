import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MessageClient } from '../../../server/src/delivery/testing/message-client.ts';
import { operatorCode } from '../../../server/src/identity/sign-ins/operator-code.ts';
import { describeInBrowser, sharedBrowser } from '../../../server/src/testing/browser.ts';
import { startServer, type TestServer } from '../../../server/src/testing/start-server.ts';
import { fillIn, goTo, pressOn, tabTo, told } from './testing/keyboard.ts';
import { populate } from './testing/populate.ts';
import { populateMemory } from './testing/populate-memory.ts';

/** By keyboard alone, wide and light, narrow and dark. */
describeInBrowser('console › what agents keep', () => {
  let server: TestServer;
  let ann: MessageClient;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    server = await startServer({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    ({ ann } = await populate(server));
    await populateMemory(ann);
  });
  afterAll(async () => {
    for (const context of contexts) await context.close();
    await server.close();
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
  ] as const)(
    'at %i pixels, %s: memory, its past, reminders and what was handed over',
    async (width, scheme) => {
      const page = await enter(width, scheme);
      await goTo(page, 'y', 'Memory');
      await page.getByText('The tide tables of next week').first().waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'The tide tables of next week' }).waitFor();
      await page.getByText('It says enough to carry on from.').waitFor();

      // Any two revisions, side by side.
      await tabTo(page, /^Revision \d+ as the older one$/);
      const older = () => new URL(page.url()).searchParams.get('from');
      while (older() !== '1') await page.keyboard.press('ArrowDown');
      await page.locator('ins', { hasText: 'Finish the tables for Saturday and Sunday' }).waitFor();
      await page.locator('del', { hasText: 'Begin the tables' }).waitFor();

      await page.reload();
      await pressOn(page, 'Restore');
      await pressOn(page, 'Restore');
      await told(page, 'again');
      await expect.poll(() => page.locator('dialog').count()).toBe(0);

      const file = page.waitForEvent('download');
      await pressOn(page, 'Export');
      expect((await file).suggestedFilename()).toMatch(/^thread-tide-tables-.*\.json$/);

      await pressOn(page, 'Archive');
      await pressOn(page, 'Archive');
      await page.getByText('There is no active capsule of this subject').waitFor();
      await pressOn(page, 'Undo');
      await expect.poll(() => page.getByText('There is no active capsule of this subject').count()).toBe(0);

      await pressOn(page, 'Levels of the last month');
      await page.locator('dialog strong', { hasText: '06:12' }).waitFor();
      await page.keyboard.press('Escape');

      await goTo(page, 'd', 'Schedule');
      await page.getByText('Send the tables to the ferry').first().waitFor();
      const title = `Ring the bell at ${width}`;
      await pressOn(page, 'New reminder');
      await fillIn(page, 'Of what', title);
      await pressOn(page, 'Create');
      const made = page.locator('.agenda li', { hasText: title });
      await made.waitFor();
      await expect.poll(() => page.locator('dialog').count()).toBe(0);
      // What is due first stands first: that is the one just made.
      await page.keyboard.press('j');
      await pressOn(page, 'Done');
      await expect.poll(() => made.count()).toBe(0);
      await page.keyboard.press('j');
      await pressOn(page, 'Dismiss');
      await pressOn(page, 'Dismiss');
      await told(page, 'Dismissed');

      await goTo(page, 'i', 'Coordination');
      await page.getByRole('row').nth(1).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.locator('dialog', { hasText: 'No table is published unchecked' }).waitFor();
      await page.keyboard.press('Escape');
      await pressOn(page, 'Shared states');
      await page.getByText('Who is on the pier').waitFor();
      expect(await page.evaluate('window.hurt')).toBeUndefined();
    },
  );
});
