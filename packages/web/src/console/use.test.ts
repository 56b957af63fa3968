import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MessageClient } from '../../../server/src/delivery/testing/message-client.ts';
import { operatorCode } from '../../../server/src/identity/sign-ins/operator-code.ts';
import { describeInBrowser, sharedBrowser } from '../../../server/src/testing/browser.ts';
import { startServer, type TestServer } from '../../../server/src/testing/start-server.ts';
import { goTo } from './testing/keyboard.ts';

describeInBrowser('console › in use', () => {
  let server: TestServer;
  let context: BrowserContext;
  let page: Page;
  let ann: MessageClient;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    context = await (await sharedBrowser()).newContext({
      viewport: { width: 1280, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    page = await context.newPage();
  });
  afterAll(async () => {
    await context.close();
    await server.close();
  });

  test('a fresh server teaches, and its first agent appears without a reload', async () => {
    const { secrets, clock } = server.context;
    const answer = await page.goto(`${server.url}/console#code=${operatorCode(secrets, clock.now())}`);
    expect(answer?.headers()['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    await page.getByText('No agent is here yet').waitFor();
    expect(page.url()).not.toContain('code');
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}');
    await page.getByRole('button', { name: /^Copy the command/ }).click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toContain(`${server.url}/skill.md`);
    ann = await MessageClient.register(server, 'ann@example.com');
    await ann.create({ slug: 'harbour-bot' });
    await page.getByRole('link', { name: 'harbour-bot@ann' }).waitFor();
  });

  test('in three steps: why an agent did not answer, and mended there', async () => {
    await page.getByRole('link', { name: 'harbour-bot@ann' }).click();
    await page.getByText('inbox only').first().waitFor();
    await page.getByRole('button', { name: 'Wake test' }).click();
    await page.getByRole('heading', { level: 1, name: 'Message Wake test', exact: true }).waitFor();
    const now = page.locator('.path li[aria-current=step] .path-name');
    await expect.poll(() => now.textContent()).toBe('offered');

    const id = page.url().split('/').at(-1) ?? '';
    await ann.attach('harbour-bot');
    await ann.call('GET', '/v1/agents/harbour-bot/inbox');
    await expect.poll(() => now.textContent()).toBe('delivered');
    await ann.call('POST', `/v1/messages/${id}/read`);
    await ann.call('POST', `/v1/messages/${id}/ack`);
    await expect.poll(() => now.textContent()).toBe('acknowledged');
    const { body } = await ann.call<{ proven_stage: string }>('GET', `/v1/messages/${id}`);
    expect(body.proven_stage).toBe('acked');
  });

  test('by keyboard alone: to a view, along its rows, into one, and anywhere by name', async () => {
    // Of the browser or of the keyboard, not of the page.
    await page.keyboard.press('Alt+?');
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    expect(await page.locator('dialog').count()).toBe(0);
    await page.getByRole('row').nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Message Wake test', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('harb');
    await page.getByRole('option', { name: /harbour-bot@ann/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Agent harbour-bot@ann', exact: true }).waitFor();
    // What is done on the page that is shown, what is begun elsewhere, and what has only a name.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('rename');
    await page.getByRole('option', { name: /Rename/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Rename harbour-bot@ann' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('new cue');
    await page.getByRole('option', { name: /New cue/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'New cue of ann' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('ring the bell');
    await page.getByRole('textbox', { name: 'Agent', exact: true }).fill('harbour-bot');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Cue ring the bell', exact: true }).waitFor();
    await goTo(page, 'o', 'Overview');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('the bell');
    await page.getByRole('option', { name: /ring the bell/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Cue ring the bell', exact: true }).waitFor();
    await page.goto(`${server.url}/console/agents/harbour-bot@ann`);
    await page.getByRole('heading', { level: 1, name: 'Agent harbour-bot@ann', exact: true }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keys', exact: true, level: 2 }).first().waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
  });

  test('a key is shown once, and signing out leaves nothing behind', async () => {
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('What it is for').fill('the ferry');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByText('it is not shown again').waitFor();
    expect(await page.locator('.command code').textContent()).toMatch(/^ak_/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('the ferry').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You run this server' }).waitFor();
    await page.reload();
    await page.getByLabel('Your owner-wide key').fill(ann.owner.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'harbour-bot@ann' }).waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).toBe('{}');
  });

  test('the first agent is made on a server that has no owner, where nothing else can be made yet', async () => {
    const fresh = await startServer({ rateLimits: false });
    const own = await (await sharedBrowser()).newContext({ viewport: { width: 1280, height: 900 } });
    const first = await own.newPage();
    const { secrets, clock } = fresh.context;
    await first.goto(`${fresh.url}/console#code=${operatorCode(secrets, clock.now())}`);
    await first.getByText('No agent is here yet').waitFor();
    await goTo(first, 'm', 'Messages');
    await first.getByText('No message here').waitFor();
    expect(await first.getByRole('button', { name: 'Write' }).count()).toBe(0);
    await goTo(first, 'a', 'Agents');
    await first.getByRole('button', { name: 'New agent' }).click();
    await first.getByLabel('Name', { exact: true }).last().fill('Ferry desk');
    await first.getByRole('button', { name: 'Create', exact: true }).click();
    await first.getByText('it is not shown again').waitFor();
    expect(await first.locator('dialog .command code').textContent()).toMatch(/^ak_/);
    await first.getByRole('button', { name: 'Done' }).click();
    await first.getByRole('link', { name: 'ferry-desk@ferry-desk' }).waitFor();
    await goTo(first, 'm', 'Messages');
    await first.getByRole('button', { name: 'Write' }).waitFor();
    await own.close();
    await fresh.close();
  });
});
