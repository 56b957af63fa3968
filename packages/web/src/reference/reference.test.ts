import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { API } from '@parley/protocol/api';
import { describeInBrowser } from '@parley/server/testing/browser';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { OpenPage, pageSuite, sidewaysOverflow } from '../shared/testing/page-suite.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeFindings {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

async function findings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run()')) as AxeFindings;
  return violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`);
}

describeInBrowser('reference', () => {
  const suite = pageSuite({}, (page) => new OpenPage(page));
  const open = async (hash = '', options = {}): Promise<OpenPage> => {
    const reference = await suite.open(`${suite.server.url}/docs${hash}`, options);
    await reference.page.locator('.call').first().waitFor();
    return reference;
  };
  const asBrowser = { headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0' } };

  test('has every declared call, by module, and asks nobody but this server', async () => {
    const { page, requests } = await open();
    const shown = await page.locator('.call').evaluateAll((all) => all.map(({ id }) => id));
    expect(shown.toSorted()).toEqual(API.flatMap(({ routes }) => routes.map(({ name }) => name)).toSorted());
    const modules = await page.locator('#modules a').allInnerTexts();
    expect(modules).toEqual(API.map(({ name, routes }) => `${name} (${routes.length})`));
    expect(new Set(requests.map((request) => new URL(request.url()).pathname))).toEqual(
      new Set(
        ['/docs', '/openapi.json', '/favicon.ico'].filter((path) =>
          requests.some((request) => request.url().endsWith(path)),
        ),
      ),
    );
    const response = await fetch(`${suite.server.url}/docs`, asBrowser);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('a call tells who may, what it takes and answers, with examples that were run', async () => {
    const reference = await open('#message_send');
    const call = reference.page.locator('#message_send');
    await reference.sees('#message_send', 'Try it');
    expect(await call.locator('h3').allInnerTexts()).toEqual([
      'Who may',
      'Takes',
      'Body',
      'Answers 200',
      'Answers 201',
      'Refused',
      'Try it',
    ]);
    const text = await call.innerText();
    for (const words of ['Idempotency-Key', 'maxLength 32768', '"night-shift"', 'Authorization: Bearer'])
      expect(text).toContain(words);
  });

  test('calls are found by words, and opened by the keyboard', async () => {
    const reference = await open();
    const { page } = reference;
    await page.fill('#find', 'cues/{id}/next');
    await reference.sees('#state', 'of ');
    expect(await page.locator('.call:visible').evaluateAll((all) => all.map(({ id }) => id))).toEqual([
      'cue_next',
    ]);
    await page.locator('#cue_next > summary').focus();
    await page.keyboard.press('Enter');
    await reference.sees('#cue_next', 'Who may');
  });

  test('a call is tried with the key, which is kept nowhere', async () => {
    const made = await fetch(`${suite.server.url}/v1/agent/register`, {
      method: 'POST',
      body: JSON.stringify({ name: 'Reader' }),
    });
    const { api_key: key } = (await made.json()) as { api_key: string };
    const reference = await open('#whoami');
    const { page } = reference;
    await page.locator('#whoami button', { hasText: 'Send' }).click();
    await reference.sees('#whoami [role=status]', '401');
    await page.fill('#key', key);
    await page.locator('#whoami button', { hasText: 'Send' }).click();
    await reference.sees('#whoami [role=status]', '200');
    await reference.sees('#whoami form pre', '"peer_id": "reader"');
    const kept = await page.evaluate(
      () => JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie + location.href,
    );
    expect(kept).not.toContain(key);
    await page.reload();
    expect(await page.inputValue('#key')).toBe('');
  });

  test('a body is sent as it stands there, and a stream is shown as it comes until it is stopped', async () => {
    const reference = await open('#channel_create');
    const { page } = reference;
    await page.locator('#channel_create button', { hasText: 'Send' }).click();
    await reference.sees('#channel_create form pre', '"channel_id"');
    const made = await fetch(`${suite.server.url}/v1/agent/register`, {
      method: 'POST',
      body: JSON.stringify({ name: 'Listener' }),
    });
    await page.fill('#key', ((await made.json()) as { api_key: string }).api_key);
    await page.evaluate(() => (location.hash = '#agent_stream'));
    await page.locator('#agent_stream button', { hasText: 'Send' }).click();
    await reference.sees('#agent_stream form pre', 'event: stream.hello');
    await page.locator('#agent_stream button', { hasText: 'Stop' }).click();
    await reference.sees('#agent_stream [role=status]', 'Stopped.');
  });

  test.each([
    [390, 'dark'],
    [1280, 'light'],
  ] as const)('at %i pixels, %s: no finding of axe, nothing sticks out', async (width, colorScheme) => {
    const { page } = await open('#continuity.upsert', { viewport: { width, height: 800 }, colorScheme });
    await page.locator('#message_send > summary').click();
    for (const id of ['continuity\\.upsert', 'message_send']) await page.locator(`#${id} form`).waitFor();
    expect(await sidewaysOverflow(page)).toBe(0);
    expect(await findings(page)).toEqual([]);
    if (process.env.REFERENCE_SHOTS)
      await page.screenshot({ path: `${process.env.REFERENCE_SHOTS}/${width}-${colorScheme}.png` });
  });

  test('programs get it as Markdown, and the guide leads there', async () => {
    const response = await fetch(`${suite.server.url}/docs`);
    expect(response.headers.get('content-type')).toContain('text/markdown');
    expect(await response.text()).toContain('| `POST /v1/messages` | key |');
    expect(await (await fetch(`${suite.server.url}/guide`, asBrowser)).text()).toContain('href="/docs"');
  });
});
