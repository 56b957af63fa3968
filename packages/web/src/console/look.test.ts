import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operatorCode } from '../../../server/src/identity/sign-ins/operator-code.ts';
import { describeInBrowser, sharedBrowser } from '../../../server/src/testing/browser.ts';
import { startServer, type TestServer } from '../../../server/src/testing/start-server.ts';
import { Entrance, type Form } from './testing/enter.ts';
import { harbour } from './testing/harbour.ts';
import { HOSTILE, populate } from './testing/populate.ts';
import { populateMemory } from './testing/populate-memory.ts';
import { populateSystem } from './testing/populate-system.ts';
import { populateRooms } from './testing/populate-rooms.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Where pictures are kept for a look; nowhere unless asked for. */
const SHOTS = process.env.CONSOLE_SHOTS;

/** What stands in the navigation. */
const PLACES = [
  '/',
  '/agents',
  '/messages',
  '/rooms',
  '/channels',
  '/memory',
  '/cues',
  '/executions',
  '/schedule',
  '/coordination',
  '/webhooks',
  '/activity',
  '/system',
  '/settings',
];

const MISSING = [
  '/agents/nobody@nowhere',
  '/messages/msg_none',
  '/rooms/room_none',
  '/cues/cue_none',
  '/executions?id=exec_none',
  '/memory/thread/none?owner=ann',
  '/nowhere',
];

/** What the view of one object is called, by the path it is opened from. */
const OBJECTS: Readonly<Record<string, string>> = {
  agents: 'Agent',
  messages: 'Message',
  rooms: 'Room',
  memory: 'Subject',
  cues: 'Cue',
};

/** How a view names itself, in its one heading and in the title of the page. */
function nameAt(path: string): RegExp {
  const [place = '', object] = path.replace(/\?.*/, '').slice(1).split('/');
  if (object !== undefined) return new RegExp(`^${OBJECTS[place]}(?:$| )`);
  if (path.startsWith('/executions?id=')) return /^Execution\b/;
  if (place === 'nowhere') return /^Nothing here/;
  const name = place === '' ? 'Overview' : `${place.slice(0, 1).toUpperCase()}${place.slice(1)}`;
  return new RegExp(`^${name}$`);
}

interface AxeFindings {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Wide and narrow, light and dark: a page is loaded once and looked at in all of them. */
const FORMS: readonly Form[] = [
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'dark'],
  [390, 'light'],
];
/** The same words in other colours: what is left to see is whether they can be read. */
const COLOURS = "{ runOnly: ['color-contrast'] }";
const isOtherColours = ([width, scheme]: Form): boolean => (width === 1280) === (scheme === 'dark');
/** Each by a page of its own, at the same time as the others where there is room. */
const PARTS = [0, 1] as const;
const LOOKING_MS = 200_000;

describeInBrowser('console › look', () => {
  const entrance = new Entrance();
  let server: TestServer;
  let fresh: TestServer;
  let paths: string[];

  beforeAll(async () => {
    server = await startServer({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    fresh = await startServer({ rateLimits: false });
    const { ann, failed, hostile, cue, execution } = await populate(server);
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
      '/executions?show=claimable',
      `/executions?id=${execution}`,
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
    await entrance.close();
    await server.close();
    await fresh.close();
  });

  /** Loads each once, and looks at it in every form. Gives what the page said went wrong. */
  const lookAt = async (
    of: TestServer,
    looked: readonly string[],
    name: string,
    forms: readonly Form[] = FORMS,
  ): Promise<string[]> => {
    // The policy of the page lets no foreign script in; the checker is one.
    const page = await entrance.enter(of, FORMS[0] ?? [1280, 'light'], { bypassCSP: true });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    for (const path of looked) {
      await page.goto(`${of.url}/console${path === '/' ? '' : path}`);
      await page.locator('main h1').waitFor();
      await expect.poll(() => page.locator('.loading').count()).toBe(0);
      const headings = await page.locator('h1').allTextContents();
      expect(headings, path).toEqual([expect.stringMatching(nameAt(path))]);
      expect(await page.title()).toBe(`${headings[0]} · Parley`);
      await page.evaluate(AXE);
      for (const [width, colorScheme] of forms) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        await page.evaluate(
          'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
        );
        const form = `${path} ${width} ${colorScheme}`;
        if (SHOTS) {
          const file = `${name}-${path.replaceAll(/[^a-z]+/gi, '-').slice(0, 24)}-${looked.indexOf(path)}`;
          await page.screenshot({ path: `${SHOTS}/${file}-${width}-${colorScheme}.png`, fullPage: true });
        }
        expect(await page.evaluate('window.hurt'), form).toBeUndefined();
        expect(await page.evaluate('document.documentElement.scrollWidth'), form).toBeLessThanOrEqual(width);
        const rules = isOtherColours([width, colorScheme]) && forms === FORMS ? COLOURS : '{}';
        const found = (await page.evaluate(`axe.run(document, ${rules})`)) as AxeFindings;
        const grave = found.violations.map(
          ({ id, impact, nodes }) => `${form} ${impact} ${id} ${nodes[0]?.html}`,
        );
        expect(grave).toEqual([]);
      }
    }
    return errors;
  };

  test.each(PARTS)(
    'every view in every form, part %i: no finding of axe, nothing runs, nothing sticks out',
    async (half) => {
      const part = paths.filter((_, index) => index % PARTS.length === half);
      expect(await lookAt(server, part, 'full')).toEqual([]);
    },
    LOOKING_MS,
  );

  const TWO = [FORMS[0], FORMS[2]].flatMap((form) => (form ? [form] : []));

  test(
    'every view of a server that is new',
    async () => {
      expect(await lookAt(fresh, PLACES, 'empty', TWO)).toEqual([]);
    },
    LOOKING_MS,
  );

  test(
    'what is not there',
    async () => {
      // A page says of each answer that is an error that it is one.
      const said = await lookAt(server, MISSING, 'missing', TWO);
      expect(said.filter((text) => !/Failed to load resource.* (40[0-9]|422)/.test(text))).toEqual([]);
    },
    LOOKING_MS,
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
