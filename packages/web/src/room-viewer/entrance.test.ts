import { talk } from '@parley/server/rooms/testing/room-client';
import { describeInBrowser } from '@parley/server/testing/browser';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { expect, test } from 'vitest';
import { codeIn, codeInFragment } from './human-code.ts';
import { stopClock, untilFocused } from '../shared/testing/page-suite.ts';
import { viewerSuite } from './testing/viewer-suite.ts';

const DAY_MS = 86_400_000;

test('room viewer › a code is found in what people paste', () => {
  expect(codeIn('  hc_abc-DEF_12 \n')).toBe('hc_abc-DEF_12');
  expect(codeIn('"hc_abc"')).toBe('hc_abc');
  expect(codeIn('https://x.example/watch/room_1#code=hc_abc')).toBe('hc_abc');
  expect(codeIn('room_abc')).toBe('');
  expect(codeInFragment('#code=hc_abc')).toBe('hc_abc');
  expect(codeInFragment('#k=hc_abc')).toBe('');
  expect(codeInFragment('')).toBe('');
});

describeInBrowser('room viewer › entrance', () => {
  const suite = viewerSuite();
  const limited = viewerSuite({ rateLimits: true, rlHumanCodeFailures: 2 });
  const clock = new FakeClock(Date.now());
  const aging = viewerSuite({ clock, roomsRetentionSeconds: 3 * 86_400 });

  test('asks for the code, says who can read what, and opens the room with it', async () => {
    const room = await suite.client.room();
    await talk(room, 1);
    const viewer = await suite.open(suite.link(room));
    await viewer.page.locator('#enter').waitFor();
    expect(await viewer.text('#gate')).toContain(
      'The server and the owners of the agents can read a room; people with the code can read along.',
    );
    await untilFocused(viewer.page, 'code');
    await viewer.enter(` "${room.code}" `);
    await viewer.reading();
    await expect.poll(() => viewer.messages()).toEqual(['message 0']);
    await expect.poll(() => viewer.text('#intro')).toContain('people with the code can read along');
  });

  test('takes the code of a link that is pasted over the open page and differs only after the #', async () => {
    const room = await suite.client.room();
    await talk(room, 1);
    const viewer = await suite.open(suite.link(room));
    await viewer.page.locator('#enter').waitFor();
    await viewer.page.evaluate((code) => {
      location.hash = `code=${code}`;
    }, room.code);
    await viewer.reading();
    await viewer.sees('.message', 'message 0');
  });

  test('keeps the code and the viewer token out of the address, the storage and the page', async () => {
    const room = await suite.client.room();
    const viewer = await suite.open(suite.link(room));
    await viewer.page.locator('#enter').waitFor();
    await viewer.enter(room.code);
    await viewer.reading();
    await talk(room, 1);
    await viewer.sees('.message', 'message 0');
    const token = viewer.requests
      .map((request) => request.headers()['authorization'] ?? '')
      .find((header) => header.startsWith('Bearer hv_'))
      ?.slice('Bearer '.length);
    expect(token).toMatch(/^hv_/);
    for (const request of viewer.requests) expect(request.url()).not.toMatch(/hc_|hv_/);
    const kept = await viewer.page.evaluate(() =>
      JSON.stringify([
        Object.entries(localStorage),
        Object.entries(sessionStorage),
        document.cookie,
        location.href,
        document.documentElement.outerHTML,
        Array.from(document.querySelectorAll('input'), (input) => input.value),
      ]),
    );
    expect(kept).not.toContain(room.code);
    expect(kept).not.toContain(token ?? 'hv_');
    expect(suite.server.rawLog()).not.toContain(room.code);
    await viewer.page.reload();
    await viewer.page.locator('#enter').waitFor();
  });

  test('takes the code from the fragment, and reloads with it', async () => {
    const room = await suite.client.room();
    const viewer = await suite.watch(room);
    await viewer.reading();
    await viewer.page.reload();
    await viewer.reading();
    for (const request of viewer.requests) expect(request.url()).not.toContain('hc_');
  });

  test.each(['human_code', 'code'])('refuses a code in the query (%s)', async (name) => {
    const room = await suite.client.room();
    const viewer = await suite.open(`${suite.link(room)}?${name}=${room.code}`);
    expect(await viewer.text('h1')).toBe('This link gives the code away');
    expect(await viewer.text('main')).toContain('#code=');
    expect(await viewer.page.content()).not.toContain(room.code);
    expect(viewer.requests).toHaveLength(1);
    expect(suite.server.rawLog()).not.toContain(room.code);
  });

  test('says in plain words that a code is wrong, and takes another', async () => {
    const room = await suite.client.room();
    const viewer = await suite.open(suite.link(room, 'hc_wrong'));
    await viewer.sees('#enter-error', 'This code is wrong, was replaced, or is older than 24 hours.');
    await viewer.enter('not a code');
    await viewer.sees('#enter-error', 'That is not a code.');
    await viewer.enter(room.code);
    await viewer.reading();
  });

  test('says so when the code is a day old', async () => {
    const room = await aging.client.room({ ttl_seconds: 600 });
    await clock.leap(DAY_MS + 1_000);
    const viewer = await aging.watch(room);
    await viewer.sees('#enter-error', 'older than 24 hours');
  });

  test('goes on with a new code when the old one was replaced and the seat is lost', async () => {
    const room = await suite.client.room();
    const viewer = await suite.watch(room, { before: stopClock });
    await viewer.reading();
    await talk(room, 1);
    await viewer.sees('.message', 'message 0');
    const { body } = await room.a.call<{ human_code: string }>('POST', `/v1/rooms/${room.id}/human-code`);
    const token = viewer.requests
      .map((request) => request.headers()['authorization'] ?? '')
      .find((header) => header !== '')
      ?.slice('Bearer '.length);
    await suite.client.viewers(room.id, { op: 'leave', viewer_token: token });
    await viewer.page.clock.runFor(15_000);
    await viewer.sees('#banner', 'was replaced');
    await expect.poll(() => viewer.messages()).toEqual(['message 0']);
    await viewer.page.click('#banner-button');
    await viewer.enter(body.human_code);
    await viewer.reading();
    await room.b.send(room.id, 'still here');
    await viewer.sees('.message', 'still here');
    await expect.poll(() => viewer.messages()).toEqual(['message 0', 'still here']);
  });

  test('asks for patience after too many wrong codes', async () => {
    const room = await limited.client.room();
    const viewer = await limited.open(limited.link(room, 'hc_wrong1'));
    await viewer.sees('#enter-error', 'This code is wrong');
    const refused = viewer.page.waitForResponse((response) => response.status() === 403);
    await viewer.enter('hc_wrong2');
    await refused;
    await viewer.sees('#enter-button', 'Read');
    await viewer.enter('hc_wrong3');
    await viewer.sees('#enter-error', 'Too many wrong codes were tried here. Try again in');
  });

  test('says that there is no such room', async () => {
    const viewer = await suite.watch({ id: 'room_aaaaaaaaaaaaaaaa', code: 'hc_any' });
    await viewer.sees('#gate-title', 'There is no such room');
    await expect.poll(() => viewer.page.locator('#enter').isVisible()).toBe(false);
    const mistyped = await suite.open(`${suite.server.url}/watch/elsewhere`);
    expect(await mistyped.text('h1')).toBe('There is no such room');
  });

  test('counts as a reader while it is open, and leaves when it goes', async () => {
    const room = await suite.client.room();
    const viewer = await suite.watch(room, { before: stopClock });
    await viewer.reading();
    expect((await room.a.state(room.id)).active_viewers).toBe(1);
    const beat = viewer.page.waitForRequest((request) => request.postData()?.includes('heartbeat') === true);
    await viewer.page.clock.runFor(15_000);
    await beat;
    await viewer.page.goto('about:blank');
    await expect.poll(async () => (await room.a.state(room.id)).active_viewers).toBe(0);
  });
});
