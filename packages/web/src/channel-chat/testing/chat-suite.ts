import { keyToFragment, newKey } from '@parley/protocol/channels/key';
import { sharedBrowser } from '@parley/server/testing/browser';
import { type Channel, ChannelClient } from '@parley/server/testing/channel-client';
import { startServer, type TestOptions, type TestServer } from '@parley/server/testing/start-server';
import type { BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { SealedPeer } from './sealed-peer.ts';

/** A channel with its key, and the link an agent would hand to a person. */
export class TestConversation {
  readonly channel: Channel;
  readonly key = newKey();

  constructor(channel: Channel) {
    this.channel = channel;
  }

  link(more = '', key = keyToFragment(this.key)): string {
    const { client, id, token } = this.channel;
    return `${client.url}/c/${id}?token=${token}#k=${key}${more}`;
  }

  async peer(name: string, key = this.key, keyFp?: string | null): Promise<SealedPeer> {
    return await SealedPeer.join(this.channel, name, key, keyFp);
  }
}

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
    await this.page.locator(selector).filter({ hasText: words }).first().waitFor();
  }

  async joined(): Promise<void> {
    await this.page.locator('#room').waitFor();
    await this.sees('#status', 'connected');
  }

  async say(text: string): Promise<void> {
    await this.page.fill('#text', text);
    await this.page.press('#text', 'Enter');
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

  messages(): Promise<string[]> {
    return this.page.locator('.message .text').allInnerTexts();
  }
}

export interface ChatSuite {
  readonly server: TestServer;
  converse(): Promise<TestConversation>;
  open(
    url: string,
    options?: BrowserContextOptions & { before?: (page: Page) => Promise<unknown> },
  ): Promise<OpenPage>;
}

/** A real server for the suite, and a fresh browser profile for every page that is opened. */
export function chatSuite(options: TestOptions = {}): ChatSuite {
  let server: TestServer;
  const contexts: BrowserContext[] = [];
  const opened: OpenPage[] = [];

  beforeAll(async () => {
    server = await startServer({ rateLimits: false, ...options });
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(opened.splice(0).flatMap(({ complaints }) => complaints)).toEqual([]);
  });
  afterAll(() => server.close());

  return {
    get server() {
      return server;
    },
    async converse() {
      return new TestConversation(await new ChannelClient(server).create());
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
      const chat = new OpenPage(await context.newPage());
      opened.push(chat);
      await before?.(chat.page);
      await chat.page.goto(url);
      return chat;
    },
  };
}
