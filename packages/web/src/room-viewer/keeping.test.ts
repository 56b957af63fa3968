import { talk } from '@parley/server/rooms/testing/room-client';
import { describeInBrowser } from '@parley/server/testing/browser';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { stopClock } from '../shared/testing/page-suite.ts';
import type { ViewerPage } from './testing/viewer-suite.ts';
import { viewerSuite } from './testing/viewer-suite.ts';

const HOUR_MS = 3_600_000;

async function saved(viewer: ViewerPage, button: string): Promise<{ name: string; text: string }> {
  const download = viewer.page.waitForEvent('download');
  await viewer.page.locator(button).click();
  const file = await download;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

describeInBrowser('room viewer › keeping what was said', () => {
  const suite = viewerSuite();
  const clock = new FakeClock(Date.now());
  const timed = viewerSuite({ clock });

  test('saves the conversation as Markdown and as JSON, made in the page', async () => {
    const room = await suite.client.room({ topic: 'Tides / moon?', max_turns: 3 });
    await talk(room, 1);
    const viewer = await suite.watch(room);
    await viewer.reading();
    await room.b.send(room.id, '# heard live\n```js\nlet a;\n```');
    await viewer.sees('.message', 'heard live');
    await room.a.close(room.id);
    await viewer.over();
    await viewer.sees('#log', 'an agent ended it');
    const asked = viewer.requests.length;
    const markdown = await saved(viewer, '#keeping [data-save="md"]');
    expect(markdown.name).toMatch(/^Tides-moon-\d{4}-\d\d-\d\d\.md$/);
    expect(markdown.text).toMatch(/^# Tides \/ moon\?\n\nRoom room_\S+, opened .*Z, closed .*Z\n/);
    expect(markdown.text).toMatch(/\n## 1\. .+, .*Z\n\nmessage 0\n/);
    expect(markdown.text).toMatch(/\n## 2\. .+, .*Z\n\n# heard live\n```js\nlet a;\n```\n/);
    expect(markdown.text).toContain('*The room was closed: an agent ended it, ');
    const json = await saved(viewer, '#panel [data-save="json"]');
    expect(json.name).toMatch(/\.json$/);
    expect(JSON.parse(json.text)).toMatchObject({
      room_id: room.id,
      topic: 'Tides / moon?',
      state: 'CLOSED',
      close_reason: 'manual_close',
      agents: [{ agent_id: room.a.id }, { agent_id: room.b.id }],
      messages: [
        { turn: 0, agent_id: room.a.id, text: 'message 0' },
        { turn: 1, agent_id: room.b.id, text: '# heard live\n```js\nlet a;\n```' },
      ],
    });
    expect(json.text).not.toContain(room.code);
    expect(viewer.requests.slice(asked).filter((request) => !request.url().startsWith('blob:'))).toEqual([]);
  });

  test('saves a copy of a room that goes on, too', async () => {
    const room = await suite.client.room();
    await talk(room, 1);
    const viewer = await suite.watch(room);
    await viewer.reading();
    expect(await viewer.page.locator('#keeping').isVisible()).toBe(false);
    const { text } = await saved(viewer, '#panel [data-save="json"]');
    expect(JSON.parse(text)).toMatchObject({ state: 'ACTIVE', closed_at: null, messages: [{ turn: 0 }] });
  });

  test('keeps a closed room on the server when the person asks for it, and says until when', async () => {
    const room = await timed.client.room({ max_turns: 2 });
    await talk(room, 2);
    const viewer = await timed.watch(room, { before: stopClock });
    await viewer.over();
    await expect.poll(() => viewer.text('#keep')).toMatch(/^Keep until .*\d:\d\d/);
    await viewer.page.click('#keep');
    await viewer.sees('#next', 'Closed. Kept on the server until');
    await expect.poll(() => viewer.page.locator('#keep').isVisible()).toBe(false);
    await viewer.page.goto('about:blank');
    await clock.advance(HOUR_MS);
    expect((await room.a.state(room.id)).state).toBe('CLOSED');
    const again = await timed.watch(room);
    await again.reading('closed');
    await again.sees('#next', 'Closed. Kept on the server until');
  });

  test('does not say that a room is kept when what answers is not the server', async () => {
    const room = await timed.client.room({ max_turns: 2 });
    await talk(room, 2);
    const viewer = await timed.watch(room, { before: stopClock });
    await viewer.over();
    await viewer.page.route('**/keep', (route) => route.fulfill({ status: 200, json: {} }));
    await viewer.page.click('#keep');
    await viewer.sees('#keep-problem', 'It could not be kept. The server');
    expect(await viewer.page.locator('#keep').isVisible()).toBe(true);
  });

  test('says why a room could not be kept, and still saves it', async () => {
    const room = await timed.client.room({ max_turns: 2 });
    await talk(room, 2);
    const viewer = await timed.watch(room, { before: stopClock });
    await viewer.over();
    await room.a.call('POST', `/v1/rooms/${room.id}/human-code`);
    await viewer.page.click('#keep');
    await viewer.sees('#keep-problem', 'It could not be kept. This code is wrong, was replaced');
    expect((await saved(viewer, '#keeping [data-save="md"]')).text).toContain('message 1');
  });
});
