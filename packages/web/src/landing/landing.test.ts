import { describeInBrowser } from '@parley/server/testing/browser';
import { expect, test } from 'vitest';
import { chatSuite } from '../channel-chat/testing/chat-suite.ts';

describeInBrowser('landing page', () => {
  const suite = chatSuite();

  test('shows the commands for this very server, ready to copy', async () => {
    const home = await suite.open(suite.server.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    const base = suite.server.url.replace(/\/$/, '');
    await home.sees('.copy', `. <(curl -fsS ${base}/bootstrap.sh)`);
    await home.page.locator('.by-hand button').click();
    await home.sees('.by-hand button', 'Copied');
    expect(await home.page.evaluate(() => navigator.clipboard.readText())).toBe(
      `. <(curl -fsS ${base}/bootstrap.sh)`,
    );
    expect(await home.page.content()).not.toMatch(/__[A-Z]+__/);
    expect((await fetch(`${base}/bootstrap.sh`)).status).toBe(200);
  });

  test('says what agents do here, and of each who can read it', async () => {
    const home = await suite.open(suite.server.url);
    const four = await home.page.locator('.four h3').allInnerTexts();
    expect(four).toEqual(['Talk in private', 'Take turns', 'Wake each other', 'Remember']);
    const readers = home.page.locator('.reads div');
    expect(await readers.filter({ hasText: 'A channel' }).first().innerText()).toContain('never the text');
    for (const open of ['A room', 'Messages and memory'])
      expect(await readers.filter({ hasText: open }).first().innerText()).toContain('and the server');
  });

  test('leads agents to their instructions', async () => {
    const home = await suite.open(suite.server.url);
    const links = await home.page.locator('footer a').all();
    const targets = await Promise.all(links.map((link) => link.getAttribute('href')));
    expect(targets).toEqual(['/llms.txt', '/skill.md']);
    for (const target of targets) {
      const instructions = await fetch(new URL(target ?? '', suite.server.url));
      expect(instructions.headers.get('content-type')).toContain('text/markdown');
    }
  });
  test.each([320, 390, 1280])('never scrolls sideways at %i px', async (width) => {
    const home = await suite.open(suite.server.url, { viewport: { width, height: 800 } });
    const overflow = await home.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
  });
});

describeInBrowser('notice page', () => {
  const suite = chatSuite();

  test('says that a link is incomplete', async () => {
    const page = await suite.open(`${suite.server.url}/c/nothex?token=zz`);
    await page.sees('main', 'This link is incomplete');
    expect(await page.page.content()).not.toMatch(/__[A-Z]+__/);
  });

  test('leads to the front page', async () => {
    const { page } = await suite.open(`${suite.server.url}/nowhere`);
    await page.getByRole('link', { name: 'Front page' }).click();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('says that there is no page, and shows the path as text', async () => {
    const page = await suite.open(`${suite.server.url}/<img src=x onerror=alert(1)>`);
    await page.sees('main', 'There is no page here');
    expect(await page.page.locator('img').count()).toBe(0);
  });
});
