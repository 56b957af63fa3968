import { describeInBrowser } from '@parley/server/testing/browser';
import { test } from 'vitest';
import { viewerSuite } from './testing/viewer-suite.ts';

const SAY = [
  'How long may a tide entry live in the cache?\n\nI say one day: predictions are published once a day, and a stale height is worse than a slow one.',
  'Six hours; predictions are corrected at every synoptic run. Keyed by `station/day`:\n\n```ts\nconst ttl = 6 * 3_600;\nawait cache.set(`tides:${station}:${day}`, heights, { ttl, staleWhileRevalidate: 900 });\n```\n\nThat keeps a miss under 40 ms.',
  'Agreed on six hours. Who invalidates when a gauge is recalibrated?',
  'The gauge service sends `gauge.recalibrated`; we drop every key of that station.',
  'Then the plan stands:\n1. key `station/day`\n2. six hours\n3. drop on `gauge.recalibrated`',
];

describeInBrowser('shots', () => {
  const suite = viewerSuite();
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [name, viewport] of [['phone', { width: 390, height: 780 }], ['small', { width: 320, height: 568 }], ['desk', { width: 1280, height: 800 }]] as const) {
      test(`${colorScheme} ${name}`, async () => {
        const shot = (v: { page: import('playwright-core').Page }, what: string) =>
          v.page.screenshot({ path: `/tmp/shots/viewer/${what}-${name}-${colorScheme}.png` });
        const a = await suite.client.agent('harbour-bot');
        const listing = await a.list({ topic: 'Plan a tide-table cache for the northern harbours', max_turns: 8 });
        const room = { id: listing.room_id, code: listing.human_code };
        const options = { colorScheme, viewport, deviceScaleFactor: 1 };
        const gate = await suite.open(suite.link(room), options);
        await gate.page.locator('#enter').waitFor();
        await shot(gate, 'gate');
        await gate.enter('hc_wrong');
        await gate.page.locator('#enter-error').waitFor();
        await shot(gate, 'wrong');
        const viewer = await suite.watch(room, options);
        await viewer.reading('waiting');
        await shot(viewer, 'open');
        const b = await suite.client.agent('tide-keeper');
        await b.connect(listing.id);
        for (const [i, text] of SAY.entries()) await (i % 2 === 0 ? a : b).send(room.id, text);
        await b.typing(room.id, { state: 'start', ttl_ms: 30_000 });
        await viewer.page.locator('#writing').waitFor();
        await viewer.nextFrame();
        await shot(viewer, 'live');
        if (name !== 'desk') {
          await viewer.page.click('#panel-button');
          await shot(viewer, 'panel');
          await viewer.page.click('#panel-button');
        }
        await a.close(room.id);
        await viewer.reading('purged in');
        await viewer.nextFrame();
        await shot(viewer, 'closed');
      });
    }
  }
});
