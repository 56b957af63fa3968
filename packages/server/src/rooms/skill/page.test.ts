import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENDPOINTS } from '@parley/protocol/rooms/endpoints';
import { ROOMS_ERRORS } from '@parley/protocol/rooms/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../app.ts';
import { loadConfig } from '../../config/load.ts';
import { createContext } from '../../context.ts';
import { HttpClient } from '../../testing/http-client.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';
import { roomsPaths } from '../../wire/rooms/paths.ts';
import { MODULE_PAGES, playbook } from './playbook.ts';
import { pathsIn } from './testing/routed.ts';

describe('skill page', () => {
  let server: TestServer;
  let client: HttpClient;

  beforeAll(async () => {
    server = await startServer();
    client = new HttpClient(server);
  });
  afterAll(() => server.close());

  test('is Markdown that may be kept for five minutes', async () => {
    const { status, headers, text } = await client.get('/skill.md');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/markdown; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['x-request-id']).toMatch(/./);
    expect(text).toBe(playbook(server.url));
  });

  test('answers HEAD like GET, without the text', async () => {
    const { status, headers, text } = await client.call('HEAD', '/skill.md');
    expect([status, text]).toEqual([200, '']);
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
  });

  test('shows the URL under which it was asked for', async () => {
    const open = await startServer({ allowedHosts: ['*'] });
    const { text } = await new HttpClient(open).get('/skill.md', { host: 'parley.example:8080' });
    await open.close();
    expect(text).toContain("API='http://parley.example:8080'");
    expect(text).not.toContain(open.url);
  });

  test.each(["a'b", '$(id)', 'a b', '<x>'])(
    'refuses the host %j, which would stand in commands',
    async (host) => {
      const open = await startServer({ allowedHosts: ['*'] });
      const { status, headers, body } = await new HttpClient(open).get('/skill.md', { host });
      await open.close();
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: 'invalid_request', status: 400, recoverable: false });
      expect(headers['cache-control']).toBe('no-store');
    },
  );

  test('is short enough to be read whole, and leads to a page per module', async () => {
    // Half of it is commands, of which models make a token of some 3.2 characters; of prose it would be four.
    expect(Math.ceil(playbook(server.url).length / 3.1)).toBeLessThan(2500);
    for (const [module, page] of Object.entries(MODULE_PAGES)) {
      expect(playbook(server.url)).toContain(`${server.url}/skill/${module}.md`);
      const { status, headers, text } = await client.get(`/skill/${module}.md`);
      expect([status, headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8']);
      expect(text).toBe(page(server.url));
    }
    const unknown = await client.get('/skill/nowhere.md');
    expect([unknown.status, unknown.body.error]).toEqual([404, 'not_found']);
  });

  test('takes no other method', async () => {
    const { status, headers, body } = await client.call('POST', '/skill.md', { body: {} });
    expect([status, headers.allow, body.error]).toEqual([405, 'GET, HEAD', 'method_not_allowed']);
  });

  test('leaves no place unfilled and says plainly who can read', () => {
    const page = allPages('https://parley.example');
    expect(page).not.toMatch(/\{\{[^}]*\}\}/);
    expect(page).toContain('The server can read every message.');
    expect(page).toMatch(/^---\nname: parley-rooms\ndescription: .+\n---\n/);
  });

  test('lists exactly the calls that are routed', async () => {
    const page = allPages(server.url);
    const listed = [...page.matchAll(/^(?:\||-) `([A-Z]+ \/v1\/\S+)`/gm)].map(([, call]) => call);
    const routed = await routedCalls();
    expect(routed.length).toBeGreaterThan(20);
    expect(listed.toSorted()).toEqual(routed.toSorted());
  });

  test('shows who may call, as /v1/capabilities does', () => {
    const page = allPages(server.url);
    for (const { method, path, auth, supported, hint } of ENDPOINTS) {
      expect(page).toContain(
        supported ? `| \`${method} ${path}\` | ${auth} |` : `- \`${method} ${path}\` answers 501`,
      );
      if (hint) expect(page).toContain(hint);
    }
  });

  test('shows the status of each call, and both of the one that has two', () => {
    const page = allPages(server.url);
    expect(page).toContain('| `POST /v1/rooms/{id}/viewers` | none | 201 join, else 200 |');
    expect(page).toContain('| `POST /v1/listings` | bearer | 201 |');
  });

  test('lists exactly the errors there are', async () => {
    const page = allPages(server.url);
    const listed = [...page.matchAll(/^\| `(\w+)` \| (\d{3}) \| (yes|no) \| (.+) \|$/gm)].map(
      ([, error, status, again, hint]) => ({
        error,
        status: Number(status),
        recoverable: again === 'yes',
        hint,
      }),
    );
    const known = Object.entries(ROOMS_ERRORS).map(([error, row]) => ({ error, ...row }));
    expect(listed).toEqual(known);
  });

  test('explains what to do about every error a message can meet', () => {
    const page = allPages(server.url);
    const codes = ['turn_mismatch', 'stale_bundle_hash', 'room_not_active', 'gone', 'payload_too_large'];
    for (const code of [...codes, 'rate_limited', 'unauthorized', 'forbidden', 'policy_blocked']) {
      const { status } = ROOMS_ERRORS[code as keyof typeof ROOMS_ERRORS];
      expect(page).toMatch(new RegExp(`^\\| ${status} .*\`${code}\``, 'm'));
    }
  });
});

/** The playbook and what it leads to, one after the other. */
const allPages = (base: string): string =>
  [playbook, ...Object.values(MODULE_PAGES)].map((page) => page(base)).join('\n');

/** Method and path of every call of the rooms protocol: the health check and the page itself are none. */
async function routedCalls(): Promise<string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-routes-'));
  const { config } = loadConfig({ cwd: dataDir });
  const context = await createContext({ ...config, dataDir, logLevel: 'silent' });
  try {
    const app = await createApp(context);
    await app.ready();
    const prefixes = roomsPaths([]).prefixes.filter((prefix) => prefix.startsWith('/v1/'));
    const owned = pathsIn(app.printRoutes({ commonPrefix: false })).filter((path) =>
      prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)),
    );
    const calls: string[] = [];
    for (const path of owned) {
      // No route takes PUT, so each says what it does take.
      const { headers } = await app.inject({ method: 'PUT', url: path.replaceAll(/[{}]/g, '') });
      const methods = String(headers.allow).split(', ');
      calls.push(...methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`));
    }
    return calls;
  } finally {
    await context.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
