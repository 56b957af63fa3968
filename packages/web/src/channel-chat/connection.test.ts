import { describeInBrowser } from '@parley/server/testing/browser';
import { expect, test } from 'vitest';
import { stopClock } from '../shared/testing/page-suite.ts';
import { chatSuite, type ChatPage } from './testing/chat-suite.ts';

const MINUTE_MS = 60_000;

describeInBrowser('chat page › connection', () => {
  const suite = chatSuite();
  const small = chatSuite({ chMaxMessages: 6 });

  test('says in words that it reconnects, when, and that it is connected again', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'), {
      before: async (page) => {
        await stopClock(page);
        await page.route(/\/(events|poll)/, (route) => route.abort());
      },
    });
    for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
      await chat.sees('#status', `reconnecting in ${seconds} s`);
      await chat.page.clock.runFor(seconds * 1_000);
    }
    await expect.poll(() => chat.text('#status-spoken')).toBe('connection lost, reconnecting');
    await laptop.say('said meanwhile');
    await chat.page.unroute(/\/(events|poll)/);
    await chat.passTimeUntil('#status', 'connected', 5_000);
    await chat.sees('.message', 'said meanwhile');
  });

  test('works where a proxy gives the server a path of its own', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const { origin } = new URL(conversation.link());
    const chat = await suite.open(conversation.link('&n=Ada').replace(origin, `${origin}/parley`), {
      before: async (page) => {
        await page.route(`${origin}/channels/**`, (route) => route.abort());
        await page.route(`${origin}/parley/**`, (route) =>
          route.continue({ url: route.request().url().replace('/parley/', '/') }),
        );
      },
    });
    await chat.joined();
    await laptop.say('under a path');
    await chat.sees('.message', 'under a path');
  });

  test('long-polls where there is no stream', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'), {
      before: (page) => page.route('**/events', (route) => route.fulfill({ status: 404, body: 'not here' })),
    });
    await chat.joined();
    await laptop.say('by poll');
    await chat.sees('.message', 'by poll');
    await laptop.say('and again');
    await chat.sees('.message', 'and again');
  });

  test('long-polls where a proxy holds the stream back', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'), {
      before: async (page) => {
        await stopClock(page);
        // Never answered, as by a proxy that waits for the end of the answer.
        await page.route('**/events', () => undefined);
      },
    });
    await laptop.until(({ content }) => content.kind === 'hello');
    await chat.passTimeUntil('#status', 'connected', 1_000);
    await chat.joined();
    await laptop.say('by poll');
    await chat.sees('.message', 'by poll');
  });

  test('is connected again by poll although nothing happens in the channel', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'), {
      before: async (page) => {
        await stopClock(page);
        await page.route('**/events', (route) => route.fulfill({ status: 404, body: 'not here' }));
      },
    });
    await laptop.until(({ content }) => content.kind === 'hello');
    await chat.joined();
    await chat.page.route('**/poll*', (route) => route.abort());
    await laptop.say('wakes the parked poll');
    await chat.sees('#status', 'reconnecting in 1 s');
    await chat.page.unroute('**/poll*');
    await chat.passTimeUntil('#status', 'connected', 1_000);
  });

  test('sends the secrets in headers, not in the address', async () => {
    const conversation = await suite.converse();
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await conversation.peer('laptop');
    await chat.sees('#log', 'laptop joined');
    const calls = chat.requests.filter((request) => request.url().includes('/channels/'));
    expect(calls.length).toBeGreaterThan(2);
    for (const call of calls) expect(call.url()).not.toMatch(/token|participant_id/);
  });

  test('shows a failed send on the message and sends it once when tried again', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await chat.page.route('**/send', (route) => route.abort());
    await chat.say('hold on');
    await chat.sees('.message.failed', 'Not sent: no connection to the server.');
    await chat.page.unroute('**/send');
    await chat.page.click('.message.failed button');
    await laptop.untilText('hold on');
    await chat.page.locator('.message.failed').waitFor({ state: 'detached' });
    await expect.poll(() => chat.messages()).toEqual(['hold on']);
  });

  test('does not double a message whose answer was lost', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'), {
      before: (page) => page.route(/\/(events|poll)/, (route) => route.abort()),
    });
    await laptop.until(({ content }) => content.kind === 'hello');
    await chat.page.route('**/send', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await chat.say('only once');
    await chat.sees('.message.failed', 'Not sent');
    await chat.page.unroute('**/send');
    await chat.page.click('.message.failed button');
    await chat.page.locator('.message.failed').waitFor({ state: 'detached' });
    const copies = (await laptop.all()).filter(({ content }) => content.kind === 'text');
    expect(copies).toHaveLength(1);
  });

  test('takes its own message in the stream as proof that it arrived', async () => {
    const conversation = await suite.converse();
    await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    const sending = chat.page.locator('.message .state');
    const lost = new Promise<void>((resolve) => {
      void chat.page.route('**/send', async (route) => {
        await sending.waitFor();
        await route.fetch();
        await sending.waitFor({ state: 'hidden' });
        await route.abort();
        resolve();
      });
    });
    await chat.say('there it is');
    await lost;
    await chat.nextFrame();
    expect(await chat.messages()).toEqual(['there it is']);
    expect(await chat.page.locator('.message.failed').count()).toBe(0);
  });

  test('says that a conversation has ended, why, and closes the composer with the reason', async () => {
    const conversation = await small.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await small.open(conversation.link('&n=Ada'));
    await chat.joined();
    for (const word of ['one', 'two', 'three', 'four']) await laptop.say(word).catch(() => undefined);
    await chat.sees('#status', 'closed');
    await chat.sees('#banner', 'it reached its largest number of messages');
    await chat.sees('#composer-note', 'The conversation has ended.');
    await expect.poll(() => chat.page.locator('#text').isDisabled()).toBe(true);
    await chat.page.reload();
    await chat.sees('#status', 'closed');
    await chat.sees('.message', 'one');
  });

  test('leaves when the page is closed', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await chat.page.goto('about:blank');
    await laptop.untilGone('Ada');
  });

  test('leaves on request and comes back on request', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await chat.page.click('#leave');
    await laptop.untilGone('Ada');
    await chat.sees('#status', 'not connected');
    await chat.sees('#composer-note', 'Reconnect to write.');
    await chat.page.click('#banner-button');
    await chat.joined();
    await chat.say('back again');
    await laptop.untilText('back again');
  });

  test('leaves after a quarter of an hour out of sight and offers to come back', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'), { before: stopClock });
    await chat.joined();
    await chat.hide(true);
    await chat.page.clock.runFor(14 * MINUTE_MS);
    expect(await chat.page.locator('#banner').isVisible()).toBe(false);
    await chat.page.clock.runFor(MINUTE_MS);
    await laptop.untilGone('Ada');
    await chat.sees('#banner', 'in the background for 15 minutes');
    await chat.hide(false);
    await chat.page.click('#banner-button');
    await chat.joined();
  });

  test('steps aside for the page cache without leaving, and goes on where it was', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    await transition(chat, 'pagehide');
    await laptop.say('while you were in the cache');
    await transition(chat, 'pageshow');
    await chat.sees('.message', 'while you were in the cache');
    const events = (await laptop.all()).map(({ event }) => event.type);
    expect(events).not.toContain('leave');
  });

  test('takes a new seat when the old one is gone', async () => {
    const conversation = await suite.converse();
    const laptop = await conversation.peer('laptop');
    const chat = await suite.open(conversation.link('&n=Ada'));
    await chat.joined();
    const call = chat.requests.find((request) => request.headers()['x-participant-id'] !== undefined);
    const { client, id, token } = conversation.channel;
    const participantId = call?.headers()['x-participant-id'];
    await client.post(`/channels/${id}/leave`, { token, participant_id: participantId });
    await laptop.until(
      ({ event, envelope }) =>
        event.type === 'message' && event.from === 'Ada' && envelope['resumed'] === true,
    );
    await laptop.say('welcome back');
    await chat.sees('.message', 'welcome back');
  });
});

async function transition({ page }: ChatPage, type: 'pagehide' | 'pageshow'): Promise<void> {
  await page.evaluate(
    (kind) => window.dispatchEvent(new PageTransitionEvent(kind, { persisted: true })),
    type,
  );
}
