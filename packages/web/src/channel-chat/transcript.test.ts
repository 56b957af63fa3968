import { keyToFragment } from '@parley/protocol/channels/key';
import { describeInBrowser } from '@parley/server/testing/browser';
import { expect, test } from 'vitest';
import { chatSuite, type ChatPage } from './testing/chat-suite.ts';

describeInBrowser('chat page › transcript', () => {
  const suite = chatSuite();

  test('a reload reconnects under the same name and keeps what was said', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link());
    await chat.page.fill('#name', 'Ada');
    await chat.page.press('#name', 'Enter');
    await chat.joined();
    await laptop.say('before the reload');
    await chat.sees('.message', 'before the reload');
    await chat.page.reload();
    await chat.joined();
    await laptop.until(({ envelope }) => envelope['resumed'] === true);
    expect(new URL(chat.page.url()).hash).toContain(keyToFragment(conversation.key));
    await laptop.say('after the reload');
    await chat.sees('.message', 'after the reload');
    await expect.poll(() => chat.messages()).toEqual(['before the reload', 'after the reload']);
    const joins = (await laptop.all()).filter(({ event }) => event.type === 'join').map(({ event }) => event);
    expect(joins.slice(1)).toMatchObject([{ from: 'Ada' }, { from: 'Ada' }]);
  });

  test('is kept on the device without key, token or participant id, and said so', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await laptop.say('remember me');
    await chat.sees('.message', 'remember me');
    await chat.sees('#kept', 'The last 200 entries are kept in this browser');
    await expect.poll(async () => JSON.stringify(await storage(chat))).toContain('remember me');
    const stored = await storage(chat);
    expect(Object.keys(stored.local)).toEqual([`agentalk:${conversation.channel.id}`]);
    const everything = JSON.stringify(stored);
    const participants = chat.requests.map((request) => request.headers()['x-participant-id'] ?? '');
    const { key, channel } = conversation;
    const secrets = [key, keyToFragment(key), channel.token, ...participants].filter(
      (secret) => secret !== '',
    );
    expect(secrets.length).toBeGreaterThan(3);
    for (const secret of secrets) expect(everything).not.toContain(secret);
  });

  test('holds the last 200 entries', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    for (let number = 1; number <= 205; number += 1) await laptop.say(`message ${number}`);
    await chat.sees('.message', 'message 205');
    const kept = async () => {
      const { local } = await storage(chat);
      const { entries } = JSON.parse(Object.values(local)[0] ?? '{}') as { entries: { text: string }[] };
      return { count: entries.length, first: entries[0]?.text };
    };
    await expect.poll(kept).toEqual({ count: 200, first: 'message 6' });
  });

  test('is cleared with one tap, here and in the storage', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await laptop.say('forget me');
    await chat.sees('.message', 'forget me');
    await chat.page.click('#clear');
    await chat.sees('#option-note', 'Cleared on this device.');
    await expect.poll(() => chat.messages()).toEqual([]);
    await expect.poll(async () => (await storage(chat)).local).toEqual({});
    await chat.page.reload();
    await chat.joined();
    expect(await chat.messages()).toEqual([]);
  });

  test('offers an unsent message again after a reload', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await chat.page.route('**/send', (route) => route.abort());
    await chat.say('do not lose me');
    await chat.sees('.message.failed', 'do not lose me');
    await chat.page.unroute('**/send');
    await chat.page.reload();
    await chat.joined();
    await chat.page.click('.message.failed button');
    await laptop.untilText('do not lose me');
  });

  test('does without storage where the browser forbids it', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'), {
      before: (page) =>
        page.addInitScript(() => {
          for (const kind of ['localStorage', 'sessionStorage']) {
            Object.defineProperty(window, kind, {
              get: () => {
                throw new DOMException('denied', 'SecurityError');
              },
            });
          }
        }),
    });
    await chat.joined();
    await laptop.say('still here');
    await chat.sees('.message', 'still here');
    await chat.sees('#kept', 'This browser keeps nothing');
  });
});

async function storage({
  page,
}: ChatPage): Promise<{ local: Record<string, string>; session: Record<string, string> }> {
  return await page.evaluate(() => ({
    local: Object.fromEntries(Object.entries(localStorage)),
    session: Object.fromEntries(Object.entries(sessionStorage)),
  }));
}
