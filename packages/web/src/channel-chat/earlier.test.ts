import { newKey } from '@parley/protocol/channels/key';
import { describeInBrowser } from '@parley/server/testing/browser';
import { expect, test } from 'vitest';
import { chatSuite } from './testing/chat-suite.ts';

describeInBrowser('channel chat › what was said before', () => {
  const suite = chatSuite();

  test('is fetched and opened when the person asks for it, and only then', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const stranger = await conversation.peer('stranger', newKey());
    await laptop.say('before you came');
    await laptop.say('between us', 'desk');
    await stranger.say('gibberish');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await laptop.say('after you came');
    await chat.sees('.message', 'after you came');
    await chat.say('my words');
    await laptop.untilText('my words');
    await expect.poll(() => chat.messages()).toEqual(['after you came', 'my words']);
    await chat.page.click('#earlier');
    await chat.sees('.message', 'before you came');
    const all = ['before you came', 'between us', 'after you came', 'my words'];
    await expect.poll(() => chat.messages()).toEqual(all);
    await expect.poll(() => chat.text('.message.own .text')).toBe('my words');
    await chat.sees('.aside', 'a DM to desk');
    await chat.sees('#log', 'A message from stranger could not be opened.');
    await expect.poll(() => chat.page.locator('#earlier').isVisible()).toBe(false);
    await laptop.say('and on');
    await chat.sees('.message', 'and on');
    await chat.page.reload();
    await chat.joined();
    await chat.page.click('#earlier');
    await chat.page.locator('#earlier').waitFor({ state: 'hidden' });
    await expect.poll(() => chat.messages()).toEqual([...all, 'and on']);
    await expect.poll(() => chat.page.locator('.message.own').count()).toBe(1);
  });

  test('comes in pages, all of it', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    for (let count = 0; count < 510; count += 1) await laptop.say(`word ${count}`);
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await chat.page.click('#earlier');
    await chat.sees('.message', 'word 509');
    await chat.sees('.message', 'word 0');
    await expect.poll(() => chat.page.locator('.message').count()).toBe(510);
  });

  test('is not offered where nothing was said, and can be asked for again when it failed', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const first = await suite.open(conversation.link('&n=Ada'));
    await first.joined();
    expect(await first.page.locator('#earlier').isVisible()).toBe(false);
    await laptop.say('early');
    const chat = await suite.open(conversation.link('&n=Grace'));
    await chat.joined();
    await chat.page.route('**/poll?since=0*', (route) => route.abort());
    await chat.page.click('#earlier');
    await chat.sees('#log', 'Earlier messages could not be fetched.');
    await chat.page.unroute('**/poll?since=0*');
    await chat.page.click('#earlier');
    await chat.sees('.message', 'early');
  });
});

describeInBrowser('channel chat › a person who only reads', () => {
  const suite = chatSuite();

  test('is shown so to the others, hears everything, and has nothing to write with', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const grace = await suite.open(conversation.link('&n=Grace'));
    await grace.joined();
    const chat = await suite.open(conversation.link());
    await chat.page.fill('#name', 'Ada');
    await chat.page.click('#look');
    await chat.joined();
    const { envelope } = await laptop.until(
      ({ event, content }) => content.kind === 'hello' && event.type === 'message' && event.from === 'Ada',
    );
    expect(envelope).toMatchObject({ human: true, reader: true });
    await grace.sees('#roster', 'person, only reads');
    await chat.sees('#roster', 'you, only reading');
    await expect.poll(() => chat.page.locator('#composer').isVisible()).toBe(false);
    await chat.sees('#reader-foot', 'You read along, and the others see that.');
    await laptop.say('hello all');
    await chat.sees('.message', 'hello all');
    await chat.page.reload();
    await chat.joined();
    await expect.poll(() => chat.page.locator('#composer').isVisible()).toBe(false);
    await expect.poll(() => grace.page.locator('#to').innerText()).not.toContain('Ada');
  });

  test('learns who else reads, and may take part after all', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link());
    await chat.page.fill('#name', 'Ada');
    await chat.page.click('#look');
    await chat.joined();
    const grace = await suite.open(conversation.link('&n=Grace'));
    await grace.joined();
    await grace.sees('#roster', 'person, only reads');
    await chat.page.click('#join-in');
    await chat.page.locator('#composer').waitFor();
    await chat.joined();
    await chat.say('now I speak');
    await laptop.untilText('now I speak');
    await expect.poll(() => grace.text('#roster')).not.toContain('only reads');
  });
});
