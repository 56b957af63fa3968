import { CHANNEL_ERRORS } from '@parley/protocol/channels/errors';
import { MEMORY_ERRORS } from '@parley/protocol/continuity/errors';
import { DELIVERY_ERRORS } from '@parley/protocol/delivery/errors';
import { ROOMS_ERRORS } from '@parley/protocol/rooms/errors';
import { SCHEDULE_ERRORS, SCHEDULE_NOT_FOUND, SCHEDULE_TROUBLE } from '@parley/protocol/schedule/errors';
import { describe, expect, test } from 'vitest';
import { People } from '../../identity/testing/people.ts';
import { HttpClient } from '../../testing/http-client.ts';
import { startServer } from '../../testing/start-server.ts';
import { suiteServer } from '../../testing/suite-server.ts';

const CODES = [
  ...Object.keys({ ...CHANNEL_ERRORS, ...DELIVERY_ERRORS, ...ROOMS_ERRORS, ...MEMORY_ERRORS }),
  ...Object.keys({ ...SCHEDULE_ERRORS, ...SCHEDULE_TROUBLE }),
  SCHEDULE_NOT_FOUND,
];

/** What stands after `#` when a heading is linked to. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const PATH = /(?:GET )?(\/(?:skill|guide|llms|v1)[\w./-]*)(#[\w-]+)?/g;

describe('what an error leads to', () => {
  const server = suiteServer(() => startServer());
  const client = new HttpClient(server);
  const pages = new Map<string, Promise<{ status: number; text: string }>>();
  const page = (path: string) => {
    const known = pages.get(path) ?? client.get(path, { accept: 'text/markdown' });
    pages.set(path, known);
    return known;
  };

  /** Every page and section that a text names. */
  async function requireThere(code: string, text: string): Promise<number> {
    const named = [...text.replaceAll(/\.(?=\s|$)/g, '').matchAll(PATH)];
    for (const [, path = '', anchor] of named) {
      const { status, text: found } = await page(path);
      expect([code, path, status]).toEqual([code, path, 200]);
      const sections = [...found.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => `#${anchorOf(heading)}`);
      if (anchor !== undefined)
        expect([code, path, sections]).toEqual([code, path, expect.arrayContaining([anchor])]);
    }
    return named.length;
  }

  test('every declared error has a page, and all it names is there', async () => {
    for (const code of CODES) {
      const { status, body } = await client.call<{ correction_hints: string[] }>(
        'GET',
        `/v1/help/errors/${code}`,
      );
      expect([code, status]).toEqual([code, 200]);
      expect([code, await requireThere(code, body.correction_hints.join('\n'))]).not.toEqual([code, 0]);
    }
  });

  test('what hints name is there', async () => {
    const hints = Object.entries({ ...CHANNEL_ERRORS, ...ROOMS_ERRORS });
    for (const [code, { hint }] of hints) await requireThere(code, hint);
    expect(await requireThere('not_found', CHANNEL_ERRORS.not_found.hint)).toBe(1);
  });

  test.each([
    ['GET', '/v1/rooms/room_none/state', 'unauthorized'],
    ['GET', '/v1/agents', 'invalid_api_key'],
    ['POST', '/v1/agent/register', 'invalid_request'],
    ['POST', '/v1/continuity/read', 'unauthorized'],
    ['GET', '/v1/tasks/none/at/all', 'not_found'],
  ])('%s %s is refused with a link to %s', async (method, path, code) => {
    const { headers, status } = await client.call(method, path);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(headers.link).toBe(`</v1/help/errors/${code}>; rel="help"`);
  });

  test('what memory, reminders and handing over refuse leads to a page that says how to go on', async () => {
    const people = new People(server);
    const { key } = await people.owner();
    const led = async (method: string, path: string, body?: object): Promise<string> => {
      const { headers, status } = await people.call(method, path, { key, ...(body && { body }) });
      const [, to = ''] = /^<(.*)>; rel="help"$/.exec(String(headers.link)) ?? [];
      const { body: advice } = await client.call<{ correction_hints?: string[] }>('GET', to);
      expect([to, advice.correction_hints?.length]).not.toEqual([to, 0]);
      return `${status} ${to.replace('/v1/help/errors/', '')}`;
    };
    expect(await led('POST', '/v1/continuity/read', {})).toBe('422 validation');
    expect(await led('GET', '/v1/read?path=docs%2Fnone.md')).toBe('404 not_found');
    expect(await led('POST', '/v1/write', { path: '../x', content: '' })).toBe('403 invalid_path');
    expect(await led('GET', '/v1/schedule/items/sched_none')).toBe('404 schedule_not_found');
    const past = { title: 'late', due_at: '2001-01-01T00:00:00Z' };
    expect(await led('POST', '/v1/schedule/items', { kind: 'reminder', ...past })).toBe(
      '422 due_at_not_future',
    );
    expect(await led('GET', `/v1/coordination/handoff/handoff_${'0'.repeat(32)}`)).toBe(
      '404 handoff_not_found',
    );
  });
});
