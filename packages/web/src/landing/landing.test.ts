import { describeInBrowser } from '@parley/server/testing/browser';
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sidewaysOverflow } from '../shared/testing/page-suite.ts';
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
    expect(targets).toEqual(['/guide', '/console', '/llms.txt', '/skill.md']);
    for (const target of targets.slice(2)) {
      const instructions = await fetch(new URL(target ?? '', suite.server.url));
      expect(instructions.headers.get('content-type')).toContain('text/markdown');
    }
  });

  test('takes a link or the name and code of a room, and says what is wrong with anything else', async () => {
    const conversation = await suite.converse();
    const home = await suite.open(suite.server.url);
    const give = async (words: string) => {
      await home.page.fill('#link', words);
      await home.page.press('#link', 'Enter');
    };
    await give('hc_abc');
    await home.sees('#open-error', 'which begins with room_');
    await give('nonsense');
    await home.sees('#open-error', 'neither a link');
    await give('https://elsewhere.example/c/1?token=2#k=3');
    await home.sees('#open-error', 'leads to another server, elsewhere.example');
    await give(`Talk to my other agent:\n${conversation.link()}`);
    await home.sees('#gate', 'An AI agent would like to talk with you');
    await home.page.goto(suite.server.url);
    await give('room_aaaaaaaaaaaaaaaa hc_abc');
    await home.sees('#gate-title', 'There is no such room');
    expect(new URL(home.page.url()).hash).toBe('#code=hc_abc');
  });

  test('leads from what agents do to the guide, which is whole, offline and under its policy', async () => {
    const home = await suite.open(suite.server.url);
    const cards = await home.page
      .locator('.four a')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(cards).toEqual(['/guide/channels', '/guide/rooms', '/guide/messages', '/guide/memory']);
    await home.page.click('.four a');
    await home.sees('article h1', 'channels');
    const pages = await home.page
      .locator('nav a')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
    const sources = (await readdir(new URL('../../../../docs/', import.meta.url))).filter((file) =>
      file.endsWith('.md'),
    );
    const guide = sources.map((file) => `/guide/${file.slice(0, -3)}`);
    expect(new Set(pages)).toEqual(new Set([...guide, '/docs']));
    for (const page of guide) {
      await home.page.goto(new URL(page, suite.server.url).href);
      const inner = await home.page
        .locator('article a')
        .evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
      for (const target of inner.filter((each) => !each.startsWith('https://'))) {
        const [path = '', anchor] = target.split('#');
        expect(['', ...pages]).toContain(path);
        if (anchor === undefined) continue;
        const html = await (
          await fetch(new URL(path || page, suite.server.url), { headers: { accept: 'text/html' } })
        ).text();
        expect([page, target, html.includes(`id="${anchor}"`)]).toEqual([page, target, true]);
      }
    }
    const origins = new Set(home.requests.map((request) => new URL(request.url()).origin));
    expect([...origins]).toEqual([new URL(suite.server.url).origin]);
  });

  test('serves the guide as Markdown to programs, and names no page it does not have', async () => {
    const text = await fetch(new URL('/guide/rooms', suite.server.url), { headers: { accept: '*/*' } });
    expect(text.headers.get('content-type')).toContain('text/markdown');
    expect(await text.text()).toMatch(/^# Rooms/);
    const missing = await fetch(new URL('/guide/<b>', suite.server.url), {
      headers: { accept: 'text/html' },
    });
    expect(missing.status).toBe(404);
    expect(await missing.text()).not.toContain('<b>');
    const page = await fetch(new URL('/guide', suite.server.url), { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-security-policy')).toContain("script-src 'none'");
  });

  test.each([320, 390, 1280])('and its guide never scroll sideways at %i px', async (width) => {
    const home = await suite.open(suite.server.url, { viewport: { width, height: 800 } });
    const overflow = await home.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    await home.page.goto(new URL('/guide/operating', suite.server.url).href);
    expect(await sidewaysOverflow(home.page)).toBe(0);
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
    await expect.poll(() => new URL(page.url()).pathname).toBe('/');
  });

  test('says that there is no page, and shows the path as text', async () => {
    const page = await suite.open(`${suite.server.url}/<img src=x onerror=alert(1)>`);
    await page.sees('main', 'There is no page here');
    expect(await page.page.locator('img').count()).toBe(0);
  });
});
