import { talk } from '@parley/server/rooms/testing/room-client';
import { describeInBrowser } from '@parley/server/testing/browser';
import { expect, test } from 'vitest';
import { pageHashes } from '../csp.ts';
import { sidewaysOverflow, untilFocused } from '../shared/testing/page-suite.ts';
import { viewerSuite } from './testing/viewer-suite.ts';

const LONG_TEXT = `${'word'.repeat(200)}\n\`\`\`\n${'wide '.repeat(200)}\n\`\`\``;

describeInBrowser('room viewer › document', () => {
  const suite = viewerSuite();

  test('is one small file whose policy names exactly its own script and style', async () => {
    const room = await suite.client.openRoom();
    const response = await fetch(suite.link(room));
    const html = await response.text();
    expect(Buffer.byteLength(html)).toBeLessThan(60_000);
    expect(html).toContain(`data-room="${room.id}"`);
    expect(html).not.toMatch(/__[A-Z]+__/);
    expect(html).not.toMatch(/(?:src|href)=/);
    const { scriptHash, styleHash } = await pageHashes(html);
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src '${scriptHash}'; style-src '${styleHash}'; connect-src 'self'; img-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('says the same to everyone: whether there is such a room is told to those with the code', async () => {
    const room = await suite.client.openRoom();
    const [real, made] = await Promise.all(
      [room.id, 'room_aaaaaaaaaaaaaaaa'].map(async (id) => {
        const response = await fetch(suite.link({ id }));
        return [response.status, (await response.text()).replace(id, '')];
      }),
    );
    expect(made).toEqual(real);
  });

  test('runs under its policy and makes no request to another origin', async () => {
    const room = await suite.client.room({ max_turns: 2 });
    const viewer = await suite.watch(room);
    await viewer.reading();
    await talk(room, 2);
    await viewer.over();
    expect(viewer.complaints).toEqual([]);
    const origins = new Set(viewer.requests.map((request) => new URL(request.url()).origin));
    expect([...origins]).toEqual([new URL(suite.server.url).origin]);
    await viewer.page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.hit = 1';
      document.body.append(script);
    });
    await expect
      .poll(() => viewer.complaints.splice(0).join('\n'))
      .toContain('refused by the content policy: script-src');
    expect(await viewer.page.evaluate(() => Reflect.get(window, 'hit'))).toBeUndefined();
    viewer.complaints.splice(0);
  });
});

describeInBrowser('room viewer › look', () => {
  const suite = viewerSuite();

  test('keeps its own sentences from left to right, whatever script a name has', async () => {
    const a = await suite.client.agent('harbour-bot');
    const listing = await a.list({ topic: 'tides', max_turns: 4 });
    await (await suite.client.agent('צופה')).connect(listing.id);
    const viewer = await suite.watch({ id: listing.room_id, code: listing.human_code });
    await viewer.reading();
    await a.send(listing.room_id, 'Hello');
    await viewer.sees('#next', 'is next');
    const joined = viewer.page.locator('#log .system', { hasText: 'צופה joined' });
    for (const sentence of [joined, viewer.page.locator('#next'), viewer.page.locator('#summary')])
      expect(await sentence.evaluate((line) => getComputedStyle(line).direction)).toBe('ltr');
    expect(await viewer.page.locator('#next .who').getAttribute('dir')).toBe('auto');
  });

  test.each([320, 390, 768, 1280])('fits a screen of %i px, whatever is written', async (width) => {
    const a = await suite.client.agent('x'.repeat(80));
    const listing = await a.list({ topic: 'a very long topic '.repeat(12), max_turns: 4 });
    const b = await suite.client.agent('tide-keeper of the northern harbours');
    await b.connect(listing.id);
    const room = { id: listing.room_id, code: listing.human_code };
    const viewer = await suite.watch(room, { viewport: { width, height: 640 } });
    await viewer.reading();
    await a.send(room.id, LONG_TEXT);
    await viewer.page.locator('.code').waitFor();
    await b.typing(room.id, { state: 'start', ttl_ms: 30_000 });
    await viewer.page.locator('#writing').waitFor();
    expect(await sidewaysOverflow(viewer.page)).toBe(0);
    expect(await viewer.page.locator('#scroll').evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    const pre = viewer.page.locator('.code pre');
    expect(await pre.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(true);
    for (const piece of ['#status', '#turn', '#next', '#time-left']) {
      const box = await viewer.page.locator(piece).boundingBox();
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= width).toBe(true);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(640);
    }
    const log = await viewer.page.locator('#scroll').boundingBox();
    expect(log?.height ?? 0).toBeGreaterThan(320);
  });

  test('can be used with the keyboard alone, and shows where the focus is', async () => {
    const room = await suite.client.room();
    await talk(room, 1);
    await room.b.send(room.id, '```\ncode\n```');
    const viewer = await suite.open(suite.link(room), { viewport: { width: 390, height: 700 } });
    await viewer.page.locator('#enter').waitFor();
    await untilFocused(viewer.page, 'code');
    await viewer.page.keyboard.type(room.code);
    await viewer.page.keyboard.press('Enter');
    await viewer.reading();
    await untilFocused(viewer.page, 'scroll');
    await viewer.page.locator('#panel-button').focus();
    await viewer.page.keyboard.press('Enter');
    await expect.poll(() => viewer.page.locator('#panel-button').getAttribute('aria-expanded')).toBe('true');
    await expect.poll(() => viewer.page.locator('#roster').isVisible()).toBe(true);
    const order: string[] = [];
    for (let step = 0; step < 3; step += 1) {
      await viewer.page.keyboard.press('Tab');
      const { place, ring } = await viewer.page.evaluate(() => {
        const at = document.activeElement ?? document.body;
        return { place: at.id || at.tagName, ring: getComputedStyle(at).outlineStyle };
      });
      order.push(place);
      expect(ring).toBe('solid');
    }
    expect(order).toEqual(['scroll', 'BUTTON', 'PRE']);
  });

  test('tells screen readers what happens', async () => {
    const room = await suite.client.room({ max_turns: 8 });
    const viewer = await suite.watch(room);
    await viewer.reading();
    await talk(room, 2);
    const { page } = viewer;
    await page.getByRole('log', { name: 'Conversation' }).getByText('message 1').waitFor();
    expect(await page.locator('#log').getAttribute('aria-live')).toBe('polite');
    await expect.poll(() => viewer.text('#status-spoken')).toBe('live');
    await page.getByRole('complementary', { name: 'Agents and facts' }).waitFor();
    const progress = page.getByRole('progressbar', { name: 'Turns spoken' });
    const position = () =>
      progress.evaluate((bar) => (bar instanceof HTMLProgressElement ? bar.position : -1));
    await expect.poll(position).toBe(0.25);
  });

  test.each(['light', 'dark'] as const)('follows the %s theme of the system', async (colorScheme) => {
    const room = await suite.client.room();
    const viewer = await suite.watch(room, { colorScheme });
    await viewer.reading();
    const ground = await viewer.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(ground).toBe(colorScheme === 'light' ? 'rgb(251, 250, 247)' : 'rgb(20, 22, 26)');
  });

  test('stands still where the person wants it to', async () => {
    const room = await suite.client.room();
    const viewer = await suite.watch(room, { reducedMotion: 'reduce' });
    await viewer.reading();
    await room.a.typing(room.id, { state: 'start', ttl_ms: 30_000 });
    await viewer.page.locator('#writing').waitFor();
    const dot = viewer.page.locator('.dots i').first();
    expect(await dot.evaluate((each) => getComputedStyle(each).animationName)).toBe('none');
  });
});
