import { newKey } from '@parley/protocol/channels/key';
import { describeInBrowser } from '@parley/server/testing/browser';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { expect, test } from 'vitest';
import { chatSuite } from './testing/chat-suite.ts';
import { SealedPeer } from './testing/sealed-peer.ts';

describeInBrowser('chat page › talk', () => {
  const suite = chatSuite();
  const clock = new FakeClock(Date.now());
  const timed = chatSuite({ clock });

  test('carries words both ways', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await laptop.say('hello person\nsecond line – naïve ✓');
    await chat.sees('.message', 'second line – naïve ✓');
    await chat.say('hello agent 🦊');
    const heard = await laptop.untilText('hello agent 🦊');
    expect(heard.event).toMatchObject({ from: 'Ada' });
    expect(heard.envelope).toMatchObject({ seq: expect.any(Number), sid: expect.any(String) });
    await expect
      .poll(() => chat.messages())
      .toEqual(['hello person\nsecond line – naïve ✓', 'hello agent 🦊']);
    await chat.sees('.message.own', 'You');
  });

  test('two people talk in two browsers', async () => {
    const conversation = await suite.converse();
    const ada = await suite.open(conversation.link('&n=Ada'));
    await ada.joined();
    const grace = await suite.open(conversation.link('&n=Grace'));
    await grace.joined();
    await ada.say('from Ada');
    await grace.sees('.message', 'from Ada');
    await grace.say('from Grace');
    await ada.sees('.message', 'from Grace');
    await ada.sees('#roster', 'person');
    await grace.sees('#roster', 'person · key confirmed');
  });

  test('begins where the person came in', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    await laptop.say('said before');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await laptop.say('said after');
    await chat.sees('.message', 'said after');
    expect(await chat.messages()).toEqual(['said after']);
    await chat.sees('#log', 'You joined as Ada');
  });

  test('answers a hello once, and shows who has proved to hold the key', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    const hello = await laptop.until(({ content }) => content.kind === 'hello');
    await laptop.tell({ welcome: hello.envelope['hello'], to: 'Ada' });
    await chat.sees('#roster', 'agent · key confirmed');
    await laptop.tell({ hello: '00ff00ff00ff00ff' });
    await laptop.tell({ hello: '00ff00ff00ff00ff' });
    await laptop.say('done');
    await chat.sees('.message', 'done');
    await chat.say('me too');
    await laptop.untilText('me too');
    const welcomes = (await laptop.all()).filter(({ content }) => content.kind === 'welcome');
    expect(welcomes.filter(({ event }) => event.type === 'message' && event.from === 'Ada')).toHaveLength(1);
    expect(welcomes.at(-1)?.envelope).toMatchObject({ welcome: '00ff00ff00ff00ff', to: 'laptop' });
    await expect.poll(() => chat.messages()).toEqual(['done', 'me too']);
  });

  test('does not take a welcome with another challenge, or for another, as proof', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    const hello = await laptop.until(({ content }) => content.kind === 'hello');
    await laptop.tell({ welcome: '0000000000000000', to: 'Ada' });
    await laptop.tell({ welcome: hello.envelope['hello'], to: 'Grace' });
    await laptop.say('done');
    await chat.sees('.message', 'done');
    expect(await chat.text('#roster')).not.toContain('confirmed');
  });

  test('shows whom a message is addressed to, be it the person or another', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await laptop.say('for another', 'desk');
    await laptop.say('for you', 'Ada');
    await chat.sees('.message', 'addressed to you');
    await expect.poll(() => chat.messages()).toEqual(['for another', 'for you']);
    await expect
      .poll(() => chat.page.locator('.aside').allInnerTexts())
      .toEqual(['a DM to desk', 'addressed to you']);
  });

  test('lets the person address one participant, who may leave but not turn into everyone', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const desk = await conversation.peer('desk');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await chat.page.selectOption('#to', 'desk');
    await chat.sees('#composer-note', 'Everyone here can read it; only desk is asked to act on it.');
    await chat.say('for the desk');
    const { envelope } = await laptop.untilText('for the desk');
    expect(envelope['to']).toBe('desk');
    await chat.sees('.message.own', 'a DM to desk');
    await desk.leave();
    await chat.sees('#log', 'desk left');
    expect(await chat.page.locator('#to').inputValue()).toBe('desk');
    await chat.sees('#to', 'desk, who left');
    await chat.page.selectOption('#to', '');
    await chat.say('for all');
    expect((await laptop.untilText('for all')).envelope).not.toHaveProperty('to');
  });

  test('notes what cannot be opened and what is repeated, and goes on', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const stranger = await conversation.peer('stranger', newKey());
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await stranger.say('gibberish to Ada');
    await laptop.post('not even base64');
    const blob = await laptop.seal({ text: 'once' });
    await laptop.post(blob);
    await laptop.post(blob);
    await laptop.tell({ text: 'first', sid: 'aa', seq: 1 });
    await laptop.tell({ text: 'fourth', sid: 'aa', seq: 4 });
    await chat.sees('#log', '2 messages from laptop are missing.');
    await chat.sees('#log', 'A message from stranger could not be opened.');
    await chat.sees('#log', 'A message from laptop could not be opened.');
    await chat.sees('#log', 'A repeated message from laptop was left out.');
    await chat.sees('.message', 'fourth');
    await expect.poll(() => chat.messages()).toEqual(['once', 'first', 'fourth']);
  });

  test('tells who comes and who leaves', async () => {
    const conversation = await suite.converse();
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await chat.sees('#intro', 'Nobody else is here yet');
    const laptop = await conversation.peer('laptop');
    await chat.sees('#log', 'laptop joined');
    await chat.sees('#summary', 'with laptop');
    await chat.sees('#intro', 'Nothing has been said since you came');
    await laptop.leave();
    await chat.sees('#log', 'laptop left');
    await chat.sees('#summary', 'Nobody else is here yet');
  });

  test('says what it was told about those who may answer: when they were last seen, or that they listen', async () => {
    const conversation = await timed.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await timed.open(conversation.link('&n=Ada'));
    await chat.joined();
    expect(await chat.page.locator('#writing').isVisible()).toBe(false);
    // Came by one call and never asked for messages: nobody can know more than when that was.
    await clock.advance(130_000);
    await chat.say('a question');
    await chat.sees('#writing', 'laptop: last seen 2 min ago');
    await chat.sees('#roster', 'last seen 2 min ago');
    // One call that is over before the next message: the answer to that says so.
    await laptop.all();
    const waiting = laptop.untilText('another question');
    await chat.say('are you there');
    await chat.sees('#writing', 'laptop: listening');
    await chat.say('another question');
    await waiting;
    await laptop.say('an answer');
    await chat.page.locator('#writing').waitFor({ state: 'hidden' });
  });

  test('renders code fences and inline code, with a copy button, left to right', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await chat.joined();
    await laptop.say('Run `npm test` first:\n```sh\nnpm ci && npm test\n# <b>not bold</b>\n```\nשלום');
    await chat.sees('.code pre', '# <b>not bold</b>');
    await expect.poll(() => chat.text('.message .text p:first-child code')).toBe('npm test');
    await expect.poll(() => chat.text('.code-head span')).toBe('sh');
    expect(await chat.page.locator('.code pre').getAttribute('dir')).toBe('ltr');
    const last = chat.page.locator('.message .text p').last();
    expect(await last.evaluate((paragraph) => getComputedStyle(paragraph).direction)).toBe('rtl');
    await chat.page.click('.code button');
    await chat.sees('.code button', 'Copied');
    expect(await chat.page.evaluate(() => navigator.clipboard.readText())).toBe(
      'npm ci && npm test\n# <b>not bold</b>',
    );
  });

  test('groups what one speaker says in one go', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const server = await conversation.peer('server');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await laptop.say('one');
    await laptop.say('two');
    await server.say('three');
    await chat.sees('.message', 'three');
    const follows = await chat.page
      .locator('.message')
      .evaluateAll((messages) => messages.map((message) => message.classList.contains('follows')));
    expect(follows).toEqual([false, true, false]);
  });

  test('never moves under a reader: a button counts what is new', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'), { viewport: { width: 390, height: 500 } });
    await chat.joined();
    await laptop.say('long\n'.repeat(80));
    await chat.sees('.message', 'long');
    const scroll = chat.page.locator('#scroll');
    await scroll.evaluate((box) => box.scrollTo(0, 0));
    await chat.nextFrame();
    for (const word of ['one', 'two', 'three']) await laptop.say(word);
    await chat.sees('#newer', '3 new');
    expect(await scroll.evaluate((box) => box.scrollTop)).toBe(0);
    await chat.page.click('#newer');
    await expect.poll(() => chat.page.locator('#newer').isVisible()).toBe(false);
    const fromEnd = () => scroll.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    await expect.poll(fromEnd).toBeLessThan(2);
  });

  test('counts unread messages in the title while hidden', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada&t=Billing'));
    await chat.joined();
    await expect.poll(() => chat.page.title()).toBe('Billing · Parley');
    await chat.hide(true);
    await laptop.say('one');
    await laptop.say('two');
    await chat.page.waitForFunction(() => document.title === '(2) Billing · Parley');
    await chat.hide(false);
    await expect.poll(() => chat.page.title()).toBe('Billing · Parley');
  });

  test('makes a sound only after the person asked for it', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'), {
      before: (page) =>
        page.addInitScript(() => {
          class CountingContext extends AudioContext {
            override createOscillator() {
              Object.assign(window, { tones: Number(Reflect.get(window, 'tones')) + 1 });
              return super.createOscillator();
            }
          }
          Object.assign(window, { tones: 0, AudioContext: CountingContext });
        }),
    });
    const tones = () => chat.page.evaluate(() => Reflect.get(window, 'tones') as number);
    await chat.joined();
    await laptop.say('unasked');
    await chat.sees('.message', 'unasked');
    expect(await tones()).toBe(0);
    await chat.page.check('#sound');
    await laptop.say('told');
    await chat.page.waitForFunction(() => Reflect.get(window, 'tones') === 2);
  });

  test('notifies only after the person asked for it', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'), {
      before: (page) =>
        page.addInitScript(() => {
          const shown: string[] = [];
          class FakeNotification {
            static requestPermission = () => Promise.resolve('granted');
            constructor(title: string, options: { body: string }) {
              shown.push(`${title}: ${options.body}`);
            }
            addEventListener() {}
          }
          Object.assign(window, { Notification: FakeNotification, shownNotifications: shown });
        }),
    });
    await chat.joined();
    await chat.hide(true);
    await laptop.say('unasked');
    await chat.sees('.message', 'unasked');
    await chat.page.check('#notify');
    await laptop.say('told');
    await chat.sees('.message', 'told');
    const shown = () => chat.page.evaluate(() => Reflect.get(window, 'shownNotifications') as string[]);
    await expect.poll(shown).toEqual(['laptop: told']);
  });

  test('shows hostile names, topics and texts as text', async () => {
    const attack = '<img src=x onerror="window.hit=1">';
    const conversation = await suite.converse();
    const peer = await SealedPeer.join(conversation.channel, attack, conversation.key);
    const chat = await suite.open(conversation.link(`&n=Ada&t=${encodeURIComponent(attack)}`));
    await chat.joined();
    await peer.say(
      `${attack} <script>window.hit=1</script>\n\`${attack}\`\n\`\`\`${attack}\n${attack}\n\`\`\``,
    );
    await chat.sees('.message .who', attack);
    await chat.sees('.code pre', attack);
    await expect.poll(() => chat.text('#topic')).toBe(attack);
    await expect.poll(() => chat.text('#roster')).toContain(attack);
    expect(await chat.page.locator('img, #room script').count()).toBe(0);
    expect(await chat.page.evaluate(() => Reflect.get(window, 'hit'))).toBeUndefined();
    await chat.page.reload();
    await chat.joined();
    await chat.sees('.message .who', attack);
    expect(await chat.page.locator('img, #room script').count()).toBe(0);
  });
});
