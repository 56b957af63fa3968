import { sharedBrowser } from '@parley/server/testing/browser';
import { startServer, type TestOptions, type TestServer } from '@parley/server/testing/start-server';
import type { BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

/** An open page. Whatever the browser complains about fails the test that opened it. */
export class OpenPage {
  readonly page: Page;
  readonly requests: Request[] = [];
  readonly complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on('request', (request) => this.requests.push(request));
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      // Refused and aborted requests are what many tests are about; the page must take them calmly.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        this.complaints.push(message.text());
      }
    });
  }

  async text(selector: string): Promise<string> {
    return (await this.page.locator(selector).innerText()).trim();
  }

  /** Waits until somewhere under the selector the words stand. */
  async sees(selector: string, words: string): Promise<void> {
    const place = this.page.locator(selector).filter({ hasText: words }).first();
    await expect.poll(() => place.isVisible(), { message: `${words} in ${selector}` }).toBe(true);
  }

  /** What the browser does when another tab comes to the front. */
  async hide(hidden: boolean): Promise<void> {
    await this.page.evaluate((isHidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  }

  /** Two frames on, scroll events have been delivered. */
  async nextFrame(): Promise<void> {
    await this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
  }

  /**
   * Moves the page's own time until the words stand there. In steps, because the timer that time is moved for may not be
   * set yet: the answer it waits for is still under way.
   */
  async passTimeUntil(selector: string, words: string, stepMs: number): Promise<void> {
    const place = this.page.locator(selector).filter({ hasText: words }).first();
    const seen = async (): Promise<boolean> => {
      if (await place.isVisible()) return true;
      await this.page.clock.runFor(stepMs);
      return await place.isVisible();
    };
    await expect.poll(seen, { message: `${words} in ${selector}` }).toBe(true);
  }

  /** As a person sees them: a message that was just added has no text until it is drawn. */
  async messages(): Promise<string[]> {
    let texts: string[] = [];
    const look = async (): Promise<string[]> =>
      (texts = await this.page.locator('.message .text').allInnerTexts());
    await expect.poll(look, { message: 'every message is drawn' }).not.toContain('');
    return texts;
  }
}

export type OpenOptions = BrowserContextOptions & { before?: (page: Page) => Promise<unknown> };

export interface PageSuite<Opened extends OpenPage> {
  readonly server: TestServer;
  open(url: string, options?: OpenOptions): Promise<Opened>;
}

/** A real server for the suite, and a fresh browser profile for every page that is opened. */
export function pageSuite<Opened extends OpenPage>(
  options: TestOptions,
  wrap: (page: Page) => Opened,
): PageSuite<Opened> {
  let server: TestServer;
  const contexts: BrowserContext[] = [];
  const opened: OpenPage[] = [];

  beforeAll(async () => {
    server = await startServer({ rateLimits: false, ...options });
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map(closeProfile));
    expect(opened.splice(0).flatMap(({ complaints }) => complaints)).toEqual([]);
  });
  afterAll(() => server.close());

  return {
    get server() {
      return server;
    },
    async open(url, { before, ...profile } = {}) {
      const context = await (await sharedBrowser()).newContext(profile);
      contexts.push(context);
      await context.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (event) => {
          reportError(
            new Error(`refused by the content policy: ${event.violatedDirective} ${event.blockedURI}`),
          );
        });
      });
      const made = wrap(await context.newPage());
      opened.push(made);
      await before?.(made.page);
      await made.page.goto(url);
      return made;
    },
  };
}

/** The page's own time stands still until the test moves it, so that what lasts a second cannot be missed. */
export async function stopClock({ clock }: Page): Promise<void> {
  const now = Date.now();
  await clock.install({ time: now });
  await clock.pauseAt(now + 1_000);
}

/** A route still being answered when the page goes would fail the run, not the test. */
async function closeProfile(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
  await context.close();
}

export async function sidewaysOverflow(page: Page): Promise<number> {
  return await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}

export async function focused(page: Page): Promise<string> {
  return await page.evaluate(() => document.activeElement?.id ?? '');
}

/** A page gives the focus in its own time: `autofocus` acts with the next frame, a script when its answer is there. */
export async function untilFocused(page: Page, id: string): Promise<void> {
  await expect.poll(() => focused(page)).toBe(id);
}
