import { talk } from '@parley/server/rooms/testing/room-client';
import { describeInBrowser } from '@parley/server/testing/browser';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { viewerSuite } from './testing/viewer-suite.ts';

const HOSTILE =
  '<img src=x onerror="window.hit=1"> <script>window.hit=1</script> [a](javascript:window.hit=1)';

describeInBrowser('room viewer › live', () => {
  const suite = viewerSuite();

  test('shows a room from the first agent to the last turn, without a reload', async () => {
    const a = await suite.client.agent('harbour-bot');
    const listing = await a.list({ topic: 'Plan a tide-table cache', max_turns: 4 });
    const room = { id: listing.room_id, code: listing.human_code };
    const viewer = await suite.watch(room);
    await viewer.reading('waiting');
    await expect.poll(() => viewer.text('#topic')).toBe('Plan a tide-table cache');
    await expect.poll(() => viewer.text('#next')).toBe('Waiting for another agent');
    await expect.poll(() => viewer.text('#turn')).toBe('0 of 4 turns');
    await expect.poll(() => viewer.text('#intro')).toContain('harbour-bot waits for another agent');

    const b = await suite.client.agent('tide-keeper');
    await b.connect(listing.id);
    await viewer.reading('live');
    await viewer.sees('#log', 'tide-keeper joined');
    await viewer.sees('#next', 'harbour-bot is next');
    await expect.poll(() => viewer.text('#turn')).toBe('Turn 1 of 4');

    await a.send(room.id, 'How long may a tide entry live?');
    await viewer.sees('.message', 'How long may a tide entry live?');
    await viewer.sees('#next', 'tide-keeper is next');
    await expect.poll(() => viewer.text('#turn')).toBe('Turn 2 of 4');
    await b.send(room.id, 'Six hours:\n```js\nconst ttl = 6;\n```');
    await a.send(room.id, 'Agreed.');
    await viewer.sees('#turn', 'Turn 4 of 4');
    await b.send(room.id, 'Then we are done.');

    await viewer.over();
    await expect.poll(() => viewer.text('#turn')).toBe('4 of 4 turns');
    expect(await viewer.text('#next')).toMatch(
      /^Closed\. Deleted 15 min after the last reader leaves, at the latest .*\d:\d\d/,
    );
    await expect
      .poll(() => viewer.lines())
      .toEqual([
        'harbour-bot opened the room',
        'tide-keeper joined',
        'The room was closed: every turn was spoken',
      ]);
    await expect.poll(() => viewer.messages()).toHaveLength(4);
    await expect.poll(() => viewer.text('.message .code code')).toBe('const ttl = 6;');
    const reads = viewer.requests.filter((request) => request.url().endsWith('/transcript'));
    expect(reads.length).toBeLessThanOrEqual(3);
  });

  test('shows the same after a reload, and goes on', async () => {
    const room = await suite.client.room();
    await talk(room, 3);
    const viewer = await suite.watch(room);
    await viewer.reading();
    const messages = ['message 0', 'message 1', 'message 2'];
    await expect.poll(() => viewer.messages()).toEqual(messages);
    const lines = await viewer.lines();
    await viewer.page.reload();
    await viewer.reading();
    await expect.poll(() => viewer.lines()).toEqual(lines);
    await expect.poll(() => viewer.messages()).toEqual(messages);
    await room.b.send(room.id, 'after the reload');
    await viewer.sees('.message', 'after the reload');
    await expect.poll(() => viewer.messages()).toHaveLength(4);
  });

  test('says who is typing, and stops saying it', async () => {
    const room = await suite.client.room();
    const viewer = await suite.watch(room);
    await viewer.reading();
    const name = await viewer.text('#next .who');
    await room.a.typing(room.id, { state: 'start', ttl_ms: 30_000 });
    await viewer.sees('#writing', `${name} is typing`);
    await viewer.sees('#next', `${name} is typing`);
    await viewer.sees('#roster', 'typing');
    await room.a.typing(room.id, { state: 'stop' });
    await viewer.page.locator('#writing').waitFor({ state: 'hidden' });
    await viewer.sees('#next', `${name} is next`);
    await room.a.typing(room.id, { state: 'start', ttl_ms: 30_000 });
    await viewer.page.locator('#writing').waitFor();
    await room.a.send(room.id, 'done');
    await viewer.sees('.message', 'done');
    await viewer.page.locator('#writing').waitFor({ state: 'hidden' });
  });

  test('shows one who comes later that somebody is typing', async () => {
    const room = await suite.client.room();
    await room.a.typing(room.id, { state: 'start', ttl_ms: 30_000 });
    const viewer = await suite.watch(room);
    await viewer.reading();
    await viewer.sees('#writing', 'is typing');
  });

  test('shows what agents write as text, never as markup', async () => {
    const a = await suite.client.agent(HOSTILE.slice(0, 60));
    const listing = await a.list({ topic: HOSTILE, max_turns: 4 });
    const b = await suite.client.agent('</article><b>bold');
    await b.connect(listing.id);
    const room = { id: listing.room_id, code: listing.human_code };
    const viewer = await suite.watch(room);
    await viewer.reading();
    await a.send(room.id, HOSTILE);
    await b.send(room.id, `\`\`\`<i>\n${HOSTILE}\n\`\`\``);
    await viewer.sees('.code', 'onerror');
    await expect.poll(() => viewer.text('#topic')).toBe(HOSTILE);
    expect((await viewer.messages())[0]).toBe(HOSTILE);
    expect(await viewer.page.locator('#room img, #room script, #room b, #room a').count()).toBe(0);
    expect(await viewer.page.evaluate(() => Reflect.get(window, 'hit'))).toBeUndefined();
  });

  test('follows a room of several, each in its own colour, and tells namesakes apart', async () => {
    const a = await suite.client.agent('relay');
    const listing = await a.list({ topic: 'three of us', max_turns: 9, max_agents: 3 });
    const room = { id: listing.room_id, code: listing.human_code };
    const b = await suite.client.agent('relay');
    await b.connect(listing.id);
    const viewer = await suite.watch(room);
    await viewer.reading();
    await a.send(room.id, 'first');
    const c = await suite.client.agent('third');
    await c.connect(listing.id);
    await viewer.sees('#log', 'third joined');
    await b.send(room.id, 'second');
    await viewer.sees('#next', 'third is next');
    await c.send(room.id, 'and third');
    await viewer.sees('.message', 'and third');
    await expect.poll(() => viewer.text('#panel-button')).toBe('3 agents');
    const names = await viewer.page.locator('#roster .who').allInnerTexts();
    expect(names).toEqual([`relay (${a.id.slice(-4)})`, `relay (${b.id.slice(-4)})`, 'third']);
    const colours = await viewer.page
      .locator('.message')
      .evaluateAll((all) => all.map((message) => getComputedStyle(message).borderInlineStartColor));
    expect(new Set(colours).size).toBe(3);
  });

  test('keeps the place of a reader who scrolled up, and says how much is new', async () => {
    const room = await suite.client.room({ max_turns: 50 });
    await talk(room, 20);
    const viewer = await suite.watch(room, { viewport: { width: 390, height: 500 } });
    await viewer.reading();
    await expect.poll(() => viewer.page.locator('.message').last().isVisible()).toBe(true);
    await viewer.page.locator('#scroll').evaluate((box) => (box.scrollTop = 0));
    await viewer.nextFrame();
    await room.a.send(room.id, 'news');
    await room.b.send(room.id, 'more news');
    await viewer.sees('#newer', '2 new');
    expect(await viewer.page.locator('#scroll').evaluate((box) => box.scrollTop)).toBe(0);
    await viewer.page.click('#newer');
    await viewer.page.getByText('more news').waitFor();
    await viewer.page.locator('#newer').waitFor({ state: 'hidden' });
  });

  test('counts in the title what was said while nobody looked', async () => {
    const room = await suite.client.room();
    const viewer = await suite.watch(room);
    await viewer.reading();
    await viewer.hide(true);
    await talk(room, 2);
    await viewer.page.waitForFunction(() => document.title.startsWith('(2) '));
    await viewer.hide(false);
    await expect.poll(() => viewer.page.title()).toBe('Plan a tide-table cache · Parley');
  });

  test('stays quick with a thousand turns', async () => {
    const room = await suite.client.room({ max_turns: 1000 });
    await room.a.send(room.id, 'the real first');
    const text = 'A line of an answer that is about as long as they often are. '.repeat(8);
    const viewer = await suite.watch(room, {
      before: (page) =>
        page.route('**/transcript', async (route) => {
          const response = await route.fetch();
          const body = (await response.json()) as { messages: object[]; turn_index: number };
          const [first] = body.messages;
          body.messages = Array.from({ length: 999 }, (_, turn) => ({ ...first, turn, ciphertext: text }));
          body.turn_index = 999;
          await route.fulfill({ response, json: body });
        }),
    });
    await viewer.reading();
    await expect.poll(() => viewer.page.locator('.message').count()).toBe(999);
    const scroll = viewer.page.locator('#scroll');
    const fromEnd = () => scroll.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    await expect.poll(fromEnd).toBeLessThan(48);
    // What is out of sight is not laid out, which is what keeps a long room quick.
    const texts = viewer.page.locator('.message .text');
    await expect.poll(() => isDrawn(texts.last())).toBe(true);
    expect(await isDrawn(texts.first())).toBe(false);
  });
});

async function isDrawn(element: Locator): Promise<boolean> {
  return await element.evaluate((each) => each.checkVisibility({ contentVisibilityAuto: true }));
}
