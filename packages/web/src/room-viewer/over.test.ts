import { talk } from '@parley/server/rooms/testing/room-client';
import { describeInBrowser } from '@parley/server/testing/browser';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { expect, test } from 'vitest';
import { stopClock } from '../shared/testing/page-suite.ts';
import { viewerSuite, type ViewerPage } from './testing/viewer-suite.ts';

const MINUTE_MS = 60_000;

const lastLine = async (viewer: ViewerPage) => (await viewer.lines()).at(-1);

describeInBrowser('room viewer › a room that is over', () => {
  const suite = viewerSuite();
  const clock = new FakeClock(Date.now());
  const timed = viewerSuite({ clock, roomsGraceSeconds: 120 });

  test('says that an agent ended it, and when its words are deleted', async () => {
    const room = await suite.client.room({ max_turns: 8 });
    await talk(room, 2);
    const viewer = await suite.watch(room);
    await viewer.reading();
    await room.b.close(room.id);
    await viewer.over();
    await expect.poll(() => lastLine(viewer)).toBe('The room was closed: an agent ended it');
    await expect.poll(() => viewer.text('#turn')).toBe('2 of 8 turns');
    await expect.poll(() => viewer.text('#status-spoken')).toBe('closed');
    await expect.poll(() => viewer.page.locator('#time-left').innerText()).toBe('');
    await viewer.sees('#facts', 'Closed');
  });

  test('shows a room that was closed before one came', async () => {
    const room = await suite.client.room({ max_turns: 2 });
    await talk(room, 2);
    const viewer = await suite.watch(room);
    await viewer.over();
    await expect.poll(() => viewer.messages()).toEqual(['message 0', 'message 1']);
    await expect.poll(() => lastLine(viewer)).toBe('The room was closed: every turn was spoken');
    expect(await viewer.page.locator('#banner').isVisible()).toBe(false);
  });

  test('hears that the time of a room is over, without anybody asking', async () => {
    const room = await timed.client.room({ ttl_seconds: 600 });
    const viewer = await timed.watch(room);
    await viewer.reading();
    await viewer.sees('#time-left', '10 min left');
    await clock.advance(10 * MINUTE_MS + 6_000);
    await viewer.over('2 min');
    await viewer.sees('#log', 'The room was closed: its time was over');
    await viewer.sees('#intro', 'Nothing was said in this room.');
  });

  test('says that a room was deleted while it was on the page, and keeps what was read', async () => {
    const room = await timed.client.room({ max_turns: 2 });
    await talk(room, 2);
    const viewer = await timed.watch(room, { before: stopClock });
    await viewer.over('2 min');
    // The page slept through its heartbeats, as on a closed laptop.
    await clock.advance(5 * MINUTE_MS);
    await viewer.page.clock.runFor(15_000);
    await viewer.sees('#banner', 'deleted from the server. What you see is only on this page now');
    await expect.poll(() => viewer.text('#status')).toBe('purged');
    await expect.poll(() => viewer.text('#next')).toBe('Deleted from the server');
    await expect.poll(() => viewer.messages()).toEqual(['message 0', 'message 1']);
    await viewer.page.reload();
    await viewer.sees('#gate-title', 'This room was deleted');
    expect(await viewer.page.locator('.message').count()).toBe(0);
  });

  test('keeps a closed room from being deleted as long as somebody reads', async () => {
    const room = await timed.client.room({ max_turns: 2 });
    await talk(room, 2);
    const viewer = await timed.watch(room, { before: stopClock });
    await viewer.over('2 min');
    for (let beats = 0; beats < 20; beats += 1) {
      const beat = viewer.page.waitForResponse((response) => response.url().endsWith('/viewers'));
      await viewer.page.clock.runFor(15_000);
      expect((await beat).status()).toBe(200);
      await clock.advance(15_000);
    }
    expect((await room.a.state(room.id)).state).toBe('CLOSED');
    await viewer.page.goto('about:blank');
    await expect.poll(async () => (await room.a.state(room.id)).active_viewers).toBe(0);
    await clock.advance(3 * MINUTE_MS);
    expect((await room.a.state(room.id)).state).toBe('PURGED');
  });

  test('says that a silent agent lost its turn', async () => {
    const a = await timed.client.agent('one');
    const listing = await a.list({ topic: 'three', max_agents: 3, turn_timeout_seconds: 30 });
    for (const name of ['two', 'three']) await (await timed.client.agent(name)).connect(listing.id);
    const viewer = await timed.watch({ id: listing.room_id, code: listing.human_code });
    await viewer.reading();
    await viewer.sees('#next', 'one is next');
    await clock.advance(36_000);
    await viewer.sees('#log', 'one did not speak in time, so the turn passed on');
    await viewer.sees('#next', 'two is next');
  });
});
