import { describeInBrowser } from '@parley/server/testing/browser';
import { expect, test } from 'vitest';
import { pageHashes } from '../csp.ts';
import { focused, sidewaysOverflow, untilFocused } from '../shared/testing/page-suite.ts';
import { chatSuite } from './testing/chat-suite.ts';

const LONG_TEXT = `${'word'.repeat(200)}\n\`\`\`\n${'wide '.repeat(200)}\n\`\`\``;

describeInBrowser('chat page › document', () => {
  const suite = chatSuite();

  test('is one small file whose policy names exactly its own script and style', async () => {
    const conversation = await suite.converse();
    const { id, token } = conversation.channel;
    const response = await fetch(conversation.link(), { headers: { accept: 'text/html' } });
    const html = await response.text();
    expect(Buffer.byteLength(html)).toBeLessThan(60_000);
    expect(html).toContain(`data-channel="${id}" data-token="${token}"`);
    expect(html).not.toMatch(/__[A-Z]+__/);
    expect(html).not.toMatch(/(?:src|href)=/);
    const { scriptHash, styleHash } = await pageHashes(html);
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src '${scriptHash}'; style-src '${styleHash}'; connect-src 'self'; img-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });

  test('has the same script for everyone', async () => {
    const bodies = await Promise.all(
      [await suite.converse(), await suite.converse()].map(async (conversation) => {
        const response = await fetch(conversation.link(), { headers: { accept: 'text/html' } });
        return (await response.text()).replace(/<body[^>]*>/, '');
      }),
    );
    expect(bodies[0]).toBe(bodies[1]);
  });

  test('runs under its policy, which stops everything else', async () => {
    const conversation = await suite.converse();
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    expect(chat.complaints).toEqual([]);
    await chat.page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.hit = 1';
      document.body.append(script);
    });
    await expect
      .poll(() => chat.complaints.splice(0).join('\n'))
      .toContain('refused by the content policy: script-src');
    expect(await chat.page.evaluate(() => Reflect.get(window, 'hit'))).toBeUndefined();
    chat.complaints.splice(0);
  });

  test('makes no request to another origin', async () => {
    const conversation = await suite.converse();
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    const origins = new Set(chat.requests.map((request) => new URL(request.url()).origin));
    expect([...origins]).toEqual([new URL(suite.server.url).origin]);
  });
});

describeInBrowser('chat page › look', () => {
  const suite = chatSuite();

  test.each([320, 390, 1280])('never scrolls sideways at %i px', async (width) => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('a-rather-long-name-for-an-agent-that-is-seen-on-a-small-phone');
    const profile = { viewport: { width, height: 640 } };
    const gate = await suite.open(conversation.link(`&t=${'topic'.repeat(16)}`), profile);
    await gate.page.locator('#join').waitFor();
    expect(await sidewaysOverflow(gate.page)).toBe(0);
    const chat = await suite.open(conversation.link(`&n=${'A'.repeat(32)}&t=${'topic'.repeat(16)}`), profile);
    await chat.joined();
    await laptop.say(LONG_TEXT);
    await chat.say(LONG_TEXT);
    await chat.sees('.message.own', 'word');
    await chat.sees('.message:not(.own)', 'word');
    if (width < 960) await chat.page.click('#panel-button');
    await chat.page.locator('#roster').waitFor();
    expect(await sidewaysOverflow(chat.page)).toBe(0);
    expect(await chat.page.locator('#scroll').evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    const wide = await chat.page
      .locator('.code pre')
      .first()
      .evaluate((box) => box.scrollWidth > box.clientWidth);
    expect(wide).toBe(true);
    const sendButton = await chat.page.locator('#send').boundingBox();
    expect((sendButton?.x ?? 0) + (sendButton?.width ?? 0)).toBeLessThanOrEqual(width);
    expect((sendButton?.y ?? 0) + (sendButton?.height ?? 0)).toBeLessThanOrEqual(640);
  });

  test('can be used with the keyboard alone, and shows where the focus is', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link(), { viewport: { width: 390, height: 700 } });
    await chat.page.locator('#join').waitFor();
    await untilFocused(chat.page, 'name');
    await chat.page.keyboard.type('Ada');
    await chat.page.keyboard.press('Enter');
    await chat.joined();
    await untilFocused(chat.page, 'text');
    await chat.page.keyboard.type('hello');
    await chat.page.keyboard.press('Enter');
    await laptop.untilText('hello');
    await chat.page.locator('#panel-button').focus();
    await chat.page.keyboard.press('Enter');
    await expect.poll(() => chat.page.locator('#panel-button').getAttribute('aria-expanded')).toBe('true');
    const order: string[] = [];
    for (let step = 0; step < 6; step += 1) {
      await chat.page.keyboard.press('Tab');
      order.push(await focused(chat.page));
      const ring = await chat.page.evaluate(
        () => getComputedStyle(document.activeElement ?? document.body).outlineStyle,
      );
      expect(ring).toBe('solid');
    }
    expect(order).toEqual(['scroll', 'text', 'sound', 'notify', 'clear', 'leave']);
    await chat.page.keyboard.press('Escape');
    await expect.poll(() => chat.page.locator('#roster').isVisible()).toBe(false);
    await expect.poll(() => chat.page.locator('#panel-button').getAttribute('aria-expanded')).toBe('false');
    await untilFocused(chat.page, 'panel-button');
  });

  test('shows the whole title on the narrowest screen', async () => {
    const conversation = await suite.converse();
    const topic = 'Plan a tide-table cache for harbours';
    const chat = await suite.open(conversation.link(`&n=Ada&t=${encodeURIComponent(topic)}`), {
      viewport: { width: 320, height: 640 },
    });
    await chat.joined();
    const cut = await chat.page
      .locator('#topic')
      .evaluate((title) => title.scrollHeight - title.clientHeight);
    expect(cut).toBe(0);
    expect(await sidewaysOverflow(chat.page)).toBe(0);
  });

  test('tells screen readers what happens', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await laptop.say('hello');
    const { page } = chat;
    await page.getByRole('log', { name: 'Conversation' }).getByText('hello').waitFor();
    expect(await page.locator('#log').getAttribute('aria-live')).toBe('polite');
    await expect.poll(() => chat.text('#status-spoken')).toBe('connected');
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.getByRole('complementary', { name: 'People and options' }).waitFor();
    await page.getByRole('checkbox', { name: 'Sound on new messages' }).waitFor();
  });

  test.each(['light', 'dark'] as const)('follows the %s theme of the system', async (colorScheme) => {
    const conversation = await suite.converse();
    const chat = await suite.open(conversation.link('&n=Ada'), { colorScheme });
    await chat.joined();
    const ground = await chat.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(ground).toBe(colorScheme === 'light' ? 'rgb(251, 250, 247)' : 'rgb(20, 22, 26)');
  });

  test('says that it is offline, and that nothing is lost', async () => {
    const conversation = await suite.converse();
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await chat.page.context().setOffline(true);
    await chat.sees('#status', 'offline');
    await chat.sees('#banner', 'You are offline. What you write stays here');
    await chat.page.context().setOffline(false);
    await chat.page.locator('#banner').waitFor({ state: 'hidden' });
    await chat.sees('#status', 'connected');
  });
});
