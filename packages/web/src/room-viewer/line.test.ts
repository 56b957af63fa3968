import { talk } from '@parley/server/rooms/testing/room-client';
import { describeInBrowser } from '@parley/server/testing/browser';
import { expect, test } from 'vitest';
import { stopClock } from '../shared/testing/page-suite.ts';
import { viewerSuite } from './testing/viewer-suite.ts';

describeInBrowser('room viewer › line', () => {
  const suite = viewerSuite();

  test('says that it reconnects, when, and goes on with nothing lost and nothing twice', async () => {
    const room = await suite.client.room();
    await talk(room, 2);
    const viewer = await suite.watch(room, {
      before: async (page) => {
        await stopClock(page);
        await page.route('**/viewer-events*', (route) => route.abort());
      },
    });
    for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
      await viewer.sees('#status', `reconnecting in ${seconds} s`);
      await viewer.page.clock.runFor(seconds * 1_000);
    }
    await expect.poll(() => viewer.text('#status-spoken')).toBe('connection lost, reconnecting');
    await expect.poll(() => viewer.messages()).toEqual(['message 0', 'message 1']);
    await talk(room, 4);
    await viewer.page.unroute('**/viewer-events*');
    await viewer.passTimeUntil('#status', 'live', 5_000);
    await viewer.sees('.message', 'message 3');
    await expect.poll(() => viewer.messages()).toEqual(['message 0', 'message 1', 'message 2', 'message 3']);
    const reads = viewer.requests.filter((request) => request.url().endsWith('/transcript'));
    expect(reads).toHaveLength(1);
  });

  test('reads the transcript again where no stream comes through', async () => {
    const room = await suite.client.room();
    const viewer = await suite.watch(room, {
      before: async (page) => {
        await stopClock(page);
        // Never answered, as by a proxy that waits for the end of the answer.
        await page.route('**/viewer-events*', () => undefined);
      },
    });
    await viewer.passTimeUntil('#status', 'live', 1_000);
    await talk(room, 1);
    await viewer.passTimeUntil('.message', 'message 0', 1_000);
    await talk(room, 2);
    await viewer.passTimeUntil('.message', 'message 1', 1_000);
    await expect.poll(() => viewer.messages()).toEqual(['message 0', 'message 1']);
  });

  test('reads the transcript again where the server has no stream', async () => {
    const room = await suite.client.room();
    const viewer = await suite.watch(room, {
      before: async (page) => {
        await stopClock(page);
        const json = { error: 'not_found', status: 404, recoverable: false, hint: 'No such resource.' };
        await page.route('**/viewer-events*', (route) => route.fulfill({ status: 404, json }));
      },
    });
    await viewer.reading();
    await talk(room, 1);
    await viewer.passTimeUntil('.message', 'message 0', 1_000);
  });

  test('takes a new seat when the old one is forgotten', async () => {
    const room = await suite.client.room();
    const viewer = await suite.watch(room, { before: stopClock });
    await viewer.reading();
    const open = viewer.requests.find((request) => request.url().includes('/viewer-events'));
    const token = open?.headers()['authorization']?.slice('Bearer '.length);
    await suite.client.viewers(room.id, { op: 'leave', viewer_token: token });
    const joined = viewer.page.waitForRequest((request) => request.postData()?.includes('"join"') === true);
    await viewer.page.clock.runFor(15_000);
    await joined;
    await talk(room, 1);
    await viewer.sees('.message', 'message 0');
    await viewer.reading();
    expect((await room.a.state(room.id)).active_viewers).toBe(1);
  });

  test('sees that a room closed while it was away', async () => {
    const room = await suite.client.room({ max_turns: 2 });
    const viewer = await suite.watch(room, {
      before: async (page) => {
        await stopClock(page);
        await page.route('**/viewer-events*', (route) => route.abort());
      },
    });
    await viewer.sees('#status', 'reconnecting');
    await talk(room, 2);
    await viewer.page.unroute('**/viewer-events*');
    await viewer.passTimeUntil('#next', 'Deleted 15 min after the last reader leaves', 1_000);
    await expect.poll(() => viewer.messages()).toEqual(['message 0', 'message 1']);
  });

  test('goes on by itself when the server could not be reached at first', async () => {
    const room = await suite.client.room();
    const viewer = await suite.watch(room, {
      before: async (page) => {
        await stopClock(page);
        await page.route('**/viewers', (route) => route.abort());
      },
    });
    await viewer.sees('#gate-text', 'The server cannot be reached right now. Nothing is lost');
    await viewer.page.unroute('**/viewers');
    await viewer.passTimeUntil('#status', 'live', 1_000);
  });

  test('says that it is offline', async () => {
    const room = await suite.client.room();
    const viewer = await suite.watch(room);
    await viewer.reading();
    await viewer.page.context().setOffline(true);
    await viewer.sees('#status', 'offline');
    await viewer.sees('#banner', 'What is said meanwhile appears when you are back.');
    await viewer.page.context().setOffline(false);
    await viewer.reading();
    await viewer.page.locator('#banner').waitFor({ state: 'hidden' });
  });

  test('leaves for the page cache, and comes back from it', async () => {
    const room = await suite.client.room();
    const viewer = await suite.watch(room);
    await viewer.reading();
    const transition = (kind: 'pagehide' | 'pageshow') =>
      viewer.page.evaluate(
        (type) => window.dispatchEvent(new PageTransitionEvent(type, { persisted: true })),
        kind,
      );
    await transition('pagehide');
    await expect.poll(async () => (await room.a.state(room.id)).active_viewers).toBe(0);
    await talk(room, 2);
    await transition('pageshow');
    await viewer.sees('.message', 'message 1');
    await viewer.reading();
    await expect.poll(() => viewer.messages()).toEqual(['message 0', 'message 1']);
    expect((await room.a.state(room.id)).active_viewers).toBe(1);
  });
});
