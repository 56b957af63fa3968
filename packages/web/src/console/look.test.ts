import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operatorCode } from '../../../server/src/identity/sign-ins/operator-code.ts';
import { describeInBrowser, sharedBrowser } from '../../../server/src/testing/browser.ts';
import { startServer, type TestServer } from '../../../server/src/testing/start-server.ts';
import { harbour } from './testing/harbour.ts';
import { HOSTILE, populate } from './testing/populate.ts';
import { populateMemory } from './testing/populate-memory.ts';
import { populateSystem } from './testing/populate-system.ts';
import { populateRooms } from './testing/populate-rooms.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Where pictures are kept for a look; nowhere unless asked for. */
const SHOTS = process.env.CONSOLE_SHOTS;

interface AxeFindings {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

describeInBrowser('console › look', () => {
  let server: TestServer;
  let paths: string[];
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    server = await startServer({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    const { ann, failed, hostile, cue } = await populate(server);
    await populateMemory(ann);
    const { room, hostileRoom } = await populateRooms(server, ann);
    await populateSystem(server);
    paths = [
      '/',
      '/agents',
      `/agents/harbour-bot@${ann.owner.slug}`,
      '/messages',
      `/messages/${hostile}`,
      `/messages/${failed}`,
      '/rooms',
      `/rooms/${room}`,
      `/rooms/${hostileRoom}`,
      '/cues',
      `/cues/${cue}`,
      '/executions',
      '/memory',
      '/memory?q=pump',
      `/memory/thread/tide-tables?owner=${ann.owner.slug}`,
      `/memory/thread/${encodeURIComponent(HOSTILE[0] ?? '')}?owner=${ann.owner.slug}`,
      '/schedule',
      '/coordination',
      '/coordination?kind=shared',
      '/activity',
      '/channels',
      '/webhooks',
      '/system',
      '/settings',
    ];
  });
  afterAll(async () => {
    for (const context of contexts) await context.close();
    await server.close();
  });

  const enter = async (width: number, colorScheme: 'light' | 'dark'): Promise<Page> => {
    // The policy of the page lets no foreign script in; the checker is one.
    const context = await (await sharedBrowser()).newContext({
      viewport: { width, height: 900 },
      colorScheme,
      bypassCSP: true,
    });
    contexts.push(context);
    const page = await context.newPage();
    const { secrets, clock } = server.context;
    await page.goto(`${server.url}/console#code=${operatorCode(secrets, clock.now())}`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    return page;
  };

  test.each([
    [390, 'dark'],
    [1280, 'light'],
  ] as const)(
    'every view at %i pixels, %s: no finding of axe, nothing runs, nothing sticks out',
    async (width, scheme) => {
      const page = await enter(width, scheme);
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      for (const [index, path] of paths.entries()) {
        await page.goto(`${server.url}/console${path === '/' ? '' : path}`);
        await page.locator('main h1').waitFor();
        await expect.poll(() => page.locator('.loading').count()).toBe(0);
        if (SHOTS) {
          const name = path.replaceAll(/[^a-z]+/gi, '-').slice(0, 24);
          await page.screenshot({ path: `${SHOTS}/${width}-${scheme}-${index}${name}.png`, fullPage: true });
        }
        expect(await page.evaluate('window.hurt')).toBeUndefined();
        expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
        await page.evaluate(AXE);
        const found = (await page.evaluate('axe.run()')) as AxeFindings;
        const grave = found.violations.map(
          ({ id, impact, nodes }) => `${path} ${impact} ${id} ${nodes[0]?.html}`,
        );
        expect(grave).toEqual([]);
      }
      expect(errors).toEqual([]);
    },
  );
});

/** The pictures of the documentation: `CONSOLE_PICTURES=packages/web/pictures npx vitest run …/look.test.ts -t pictures`. */
const PICTURES = process.env.CONSOLE_PICTURES;
if (PICTURES) {
  describeInBrowser('console › pictures', () => {
    test('are made', async () => {
      const server = await startServer({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
      const views = await harbour(server);
      const shoot = async (width: number, colorScheme: 'light' | 'dark', names: readonly string[]) => {
        const viewport = { width, height: width < 720 ? 780 : 720 };
        const context = await (await sharedBrowser()).newContext({ viewport, colorScheme });
        const page = await context.newPage();
        const { secrets, clock } = server.context;
        await page.goto(`${server.url}/console#code=${operatorCode(secrets, clock.now())}`);
        // The way in takes a moment; whoever goes on before it is through stays outside.
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
        for (const name of names) {
          await page.goto(`${server.url}/console${views[name]}`);
          await page.locator('main h1').waitFor();
          await expect.poll(() => page.locator('.loading').count()).toBe(0);
          const path = `${PICTURES}/${name}-${width}-${colorScheme}.png`;
          const picture = await page.screenshot({ path });
          expect(picture.length, path).toBeLessThan(150_000);
        }
        await context.close();
      };
      await shoot(1100, 'light', ['overview', 'agent', 'message', 'subject', 'cues']);
      await shoot(1100, 'dark', ['overview']);
      await shoot(390, 'dark', ['message']);
      await server.close();
    });
  });
}
