import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MessageClient } from '../../../server/src/delivery/testing/message-client.ts';
import { describeInBrowser } from '../../../server/src/testing/browser.ts';
import { startServer, type TestServer } from '../../../server/src/testing/start-server.ts';
import { Ledger } from './testing/actions-table.ts';
import { Entrance, FORMS, type Form } from './testing/enter.ts';
import { choose, fillIn, goTo, pressOn, tabTo, told } from './testing/keyboard.ts';
import { populate } from './testing/populate.ts';
import { populateMemory } from './testing/populate-memory.ts';

/** By keyboard alone, wide and light, narrow and dark. */
describeInBrowser('console › what agents keep', () => {
  let server: TestServer;
  let ann: MessageClient;
  const entrance = new Entrance();
  const ledger = new Ledger('kept');

  beforeAll(async () => {
    server = await startServer({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    ({ ann } = await populate(server));
    await populateMemory(ann);
  });
  afterAll(async () => {
    await entrance.close();
    await server.close();
  });

  test.each(FORMS)(
    'at %i pixels, %s: memory, its past, reminders and what was handed over',
    async (...form: Form) => {
      const [width] = form;
      const page = await entrance.enter(server, form);
      await goTo(page, 'y', 'Memory');
      await page.getByText('The tide tables of next week').first().waitFor();
      await choose(page, 'Kind', 'task');
      await choose(page, 'Health', 'degraded');
      const rows = page.locator('.table-row');
      await expect.poll(() => rows.allTextContents()).toEqual([expect.stringContaining('pump-north')]);
      await page.goto(`${server.url}/console/memory`);
      await fillIn(page, 'Written by', 'harbour-bot@ann');
      await page.locator('.table-row', { hasText: 'onerror' }).waitFor();
      ledger.did(form, 'Memory: filter by agent, kind and health');
      await page.goto(`${server.url}/console/memory`);
      await fillIn(page, 'Words', 'metres above chart datum');
      await page.getByText('The tide tables of next week').first().waitFor();
      ledger.did(form, 'Memory: search');
      await page.goto(`${server.url}/console/memory`);
      await page.getByText('The tide tables of next week').first().waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Subject The tide tables of next week' }).waitFor();
      await page.getByText('It says enough to carry on from.').waitFor();

      // Any two revisions, side by side.
      await tabTo(page, /^Revision \d+ as the older one$/);
      const older = () => new URL(page.url()).searchParams.get('from');
      while (older() !== '1') await page.keyboard.press('ArrowDown');
      await page.locator('ins', { hasText: 'Finish the tables for Saturday and Sunday' }).waitFor();
      await page.locator('del', { hasText: 'Begin the tables' }).waitFor();
      ledger.did(form, 'Subject: compare two revisions');

      await page.reload();
      await pressOn(page, 'Restore');
      await pressOn(page, 'Restore');
      await told(page, 'again');
      ledger.did(form, 'Subject: restore');
      await expect.poll(() => page.locator('dialog').count()).toBe(0);

      const file = page.waitForEvent('download');
      await pressOn(page, 'Export');
      expect((await file).suggestedFilename()).toMatch(/^thread-tide-tables-.*\.json$/);
      ledger.did(form, 'Subject: export');

      await pressOn(page, 'Archive');
      await pressOn(page, 'Archive');
      await page.getByText('There is no active capsule of this subject').waitFor();
      ledger.did(form, 'Subject: archive');
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
      ledger.did(form, 'Schedule: new');
      await expect.poll(() => page.locator('dialog').count()).toBe(0);
      // What is due first stands first: that is the one just made.
      await page.keyboard.press('j');
      await pressOn(page, 'Done');
      await expect.poll(() => made.count()).toBe(0);
      ledger.did(form, 'Schedule: done');
      await page.keyboard.press('j');
      await pressOn(page, 'Dismiss');
      await pressOn(page, 'Dismiss');
      await told(page, 'Dismissed');
      ledger.did(form, 'Schedule: dismiss');

      await goTo(page, 'i', 'Coordination');
      await page.getByRole('row').nth(1).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.locator('dialog', { hasText: 'No table is published unchecked' }).waitFor();
      ledger.did(form, 'Coordination: open');
      await page.keyboard.press('Escape');
      await pressOn(page, 'Shared states');
      await page.getByText('Who is on the pier').waitFor();
      expect(await page.evaluate('window.hurt')).toBeUndefined();
    },
  );

  test('nothing of it was left out', () => {
    expect(ledger.missing()).toEqual([]);
  });
});
