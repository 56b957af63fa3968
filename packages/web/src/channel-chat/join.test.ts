import { keyFingerprint, keyToFragment, newKey } from '@parley/protocol/channels/key';
import { describeInBrowser } from '@parley/server/testing/browser';
import { expect, test } from 'vitest';
import { chatSuite } from './testing/chat-suite.ts';

describeInBrowser('chat page › join', () => {
  const suite = chatSuite();

  test('asks for a name, joins under it and says hello as a person', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&t=the%20billing%20question'));
    await chat.sees('#gate', 'the billing question');
    await chat.page.fill('#name', 'Ada');
    await chat.page.click('#join-button');
    await chat.joined();
    const hello = await laptop.until(({ content }) => content.kind === 'hello');
    expect(hello.event).toMatchObject({ from: 'Ada' });
    expect(hello.envelope).toMatchObject({ hello: expect.stringMatching(/^[0-9a-f]{16}$/), human: true });
    expect(hello.envelope).not.toHaveProperty('resumed');
    await chat.sees('#log', 'You joined as Ada');
    await chat.sees('#intro', 'A private conversation with laptop');
    await chat.sees('#intro', 'the server sees names and times, never the text');
    await expect.poll(() => chat.text('#topic')).toBe('the billing question');
  });

  test('joins at once under the name in the link', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Grace'));
    await chat.joined();
    await laptop.until(({ event }) => event.type === 'join' && event.from === 'Grace');
    await chat.sees('#log', 'You joined as Grace');
  });

  test.each([
    ['Zoë Grün', 'Zoe-Grun'],
    ['a'.repeat(40), 'a'.repeat(32)],
    ['<img src=x>', 'img-srcx'],
  ])('takes the nearest allowed name for %s', async (typed, given) => {
    const conversation = await suite.converse();
    const chat = await suite.open(conversation.link());
    await chat.page.fill('#name', typed);
    await expect.poll(() => chat.text('#name-hint')).toBe(`Others will see: ${given}`);
    await chat.page.press('#name', 'Enter');
    await chat.joined();
    await chat.sees('#log', `You joined as ${given}`);
  });

  test('asks for another name when nothing of the typed one is allowed', async () => {
    const conversation = await suite.converse();
    const chat = await suite.open(conversation.link());
    await chat.page.fill('#name', '你好');
    await chat.page.press('#name', 'Enter');
    await chat.sees('#join-error', 'Write a name with letters A to Z');
  });

  test('takes a number behind a taken name', async () => {
    const conversation = await suite.converse();
    await conversation.peer('Ada');
    const chat = await suite.open(conversation.link());
    await chat.page.fill('#name', 'Ada');
    await chat.page.press('#name', 'Enter');
    await chat.joined();
    await chat.sees('#log', 'Ada was taken, so you joined as Ada-1');
  });

  test('accepts the key as 43 base64url, with padding, and as hex of either case', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const { key } = conversation;
    const forms = [keyToFragment(key), `${keyToFragment(key)}=`, key, key.toUpperCase()];
    for (const [number, form] of forms.entries()) {
      const chat = await suite.open(conversation.link(`&n=person${number}`, form));
      await chat.joined();
      const hello = await laptop.until(
        ({ event, content }) =>
          content.kind === 'hello' && event.type === 'message' && event.from === `person${number}`,
      );
      expect(hello.envelope).toMatchObject({ human: true });
    }
  });

  test.each(['', 'short', 'a'.repeat(43), 'z'.repeat(64)])(
    'refuses the key "%s" in words, without a form',
    async (key) => {
      const conversation = await suite.converse();
      const chat = await suite.open(conversation.link('&n=Ada', key));
      await chat.sees('#gate', 'This link is incomplete');
      await chat.sees('#gate', 'the part after #k= opens the conversation');
      expect(await chat.text('#gate')).not.toMatch(/base64|hex/);
      expect(await chat.page.locator('#join').isVisible()).toBe(false);
      expect(await chat.page.locator('#room').isVisible()).toBe(false);
    },
  );

  test('takes the whole link when it is pasted over the broken one', async () => {
    const conversation = await suite.converse();
    const chat = await suite.open(conversation.link('', 'short'));
    await chat.sees('#gate', 'This link is incomplete');
    await chat.page.goto(conversation.link('&n=Ada'));
    await chat.joined();
  });

  test('says so where the browser cannot encrypt', async () => {
    const conversation = await suite.converse();
    const chat = await suite.open(conversation.link('&n=Ada'), {
      before: (page) =>
        page.addInitScript(() => {
          Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined });
        }),
    });
    await chat.sees('#gate', 'This page cannot encrypt here');
    expect(await chat.page.locator('#join').isVisible()).toBe(false);
  });

  test('leaves again when everybody else holds another key', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada', newKey()));
    await chat.sees('#gate', 'This link has a different key');
    await chat.sees('#gate', 'laptop cannot read what you would write');
    await laptop.untilGone('Ada');
    expect((await laptop.all()).filter(({ event }) => event.type === 'message')).toEqual([]);
  });

  test('goes in and names both groups when only some hold another key, or tell none', async () => {
    const conversation = await suite.converse();
    await conversation.peer('laptop');
    await conversation.peer('stranger', newKey());
    await conversation.peer('silent', conversation.key, null);
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await chat.sees('#log', 'stranger came with a different key: you cannot read each other.');
    await chat.sees('#log', 'Whether silent came with the same key cannot be checked yet.');
    await conversation.peer('later', newKey(), await keyFingerprint(newKey()));
    await chat.sees('#log', 'later came with a different key: you cannot read each other.');
  });

  test('says why a conversation is over', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    await laptop.leave();
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.sees('#gate', 'This conversation has ended because everyone had left.');
  });

  test('keeps the name and offers to try again when the server cannot be reached', async () => {
    const conversation = await suite.converse();
    const chat = await suite.open(conversation.link());
    await chat.page.route('**/join', (route) => route.abort());
    await chat.page.fill('#name', 'Ada');
    await chat.page.press('#name', 'Enter');
    await chat.sees('#join-error', 'The server cannot be reached right now');
    await chat.page.unroute('**/join');
    await chat.page.click('#join-button');
    await chat.joined();
    await chat.sees('#log', 'You joined as Ada');
  });

  test('gives away neither key nor words, and the server log holds no secret', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada&t=topic-of-the-day'));
    await chat.joined();
    await chat.say('words nobody else may see');
    await laptop.untilText('words nobody else may see');
    const everything = chat.requests
      .flatMap((request) => [request.url(), JSON.stringify(request.headers()), request.postData()])
      .join('\n');
    const { key, channel } = conversation;
    for (const secret of [key, keyToFragment(key), 'words nobody', 'topic-of-the-day']) {
      expect(everything).not.toContain(secret);
    }
    const participant =
      /"x-participant-id":"([0-9a-f]+)"/.exec(everything)?.[1] ?? 'no participant id was sent';
    for (const secret of [channel.token, participant, key, 'words nobody']) {
      expect(suite.server.rawLog()).not.toContain(secret);
    }
    expect(suite.server.rawLog()).toContain(channel.id);
  });
});
