import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { operatorCode } from '../../../../server/src/identity/sign-ins/operator-code.ts';
import { sharedBrowser } from '../../../../server/src/testing/browser.ts';
import type { TestServer } from '../../../../server/src/testing/start-server.ts';

export type Form = readonly [width: number, scheme: 'light' | 'dark'];

/** What is done is done wide and narrow, light and dark. */
export const FORMS: readonly Form[] = [
  [1280, 'light'],
  [390, 'dark'],
];

/** Browsers of operators who came in by their link. */
export class Entrance {
  readonly #contexts: BrowserContext[] = [];

  async open([width, colorScheme]: Form, more: BrowserContextOptions = {}): Promise<Page> {
    const viewport = { width, height: 900 };
    const context = await (await sharedBrowser()).newContext({ viewport, colorScheme, ...more });
    this.#contexts.push(context);
    return await context.newPage();
  }

  async enter(server: TestServer, form: Form, more: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.open(form, more);
    const { secrets, clock } = server.context;
    await page.goto(`${server.url}/console#code=${operatorCode(secrets, clock.now())}`);
    // The way in takes a moment; whoever goes on before it is through stays outside.
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    return page;
  }

  async close(): Promise<void> {
    for (const context of this.#contexts) await context.close();
  }
}
