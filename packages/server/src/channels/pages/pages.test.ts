import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChannelClient } from '../../testing/channel-client.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';

const ID = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const TOKEN = 'ab'.repeat(24);
const LINK = `/c/${ID}?token=${TOKEN}`;
const HTML = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';

const AGENTS = {
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  curl: 'curl/8.5.0',
  claudeUser: 'Mozilla/5.0 (compatible; Claude-User/1.0; +claude@anthropic.com)',
  claudeCode: 'claude-cli/1.0.0 (external, cli)',
  chatGpt: 'Mozilla/5.0 AppleWebKit/537.36; compatible; ChatGPT-User/1.0; +https://openai.com/bot',
  gemini: 'Gemini/1.0',
  perplexity: 'Mozilla/5.0 (compatible; PerplexityBot/1.0)',
  lowerCase: 'some openai fetcher',
  googlebot: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  applebot: 'Mozilla/5.0 (Applebot/0.1) OpenAI',
  lookalike: 'Mozilla/5.0 (Bardolino; Geminis) Firefox/1.0',
};
/** Without what differs from one moment to the next. */
function comparable(headers: IncomingHttpHeaders): object {
  const rest: IncomingHttpHeaders = { ...headers, 'content-length': typeof headers['content-length'] };
  delete rest.date;
  // A name of its own for every answer.
  delete rest['x-request-id'];
  return rest;
}

type Agent = keyof typeof AGENTS | 'none';

const headersOf = (agent: Agent, accept?: string): Record<string, string> => ({
  ...(agent !== 'none' && { 'user-agent': AGENTS[agent] }),
  ...(accept !== undefined && { accept }),
});

describe('pages', () => {
  let server: TestServer;
  let client: ChannelClient;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    client = new ChannelClient(server);
  });
  afterAll(() => server.close());

  describe('join link (checklist 36)', () => {
    type Kind = 'stub' | 'chat' | 'sdk';
    const matrix: [Agent, string | undefined, Kind][] = [
      ['claudeUser', HTML, 'stub'],
      ['claudeUser', '*/*', 'stub'],
      ['claudeUser', undefined, 'stub'],
      ['firefox', HTML, 'chat'],
      ['none', HTML, 'chat'],
      ['firefox', 'Text/HTML;q=0.9', 'chat'],
      ['lookalike', HTML, 'chat'],
      ['firefox', '*/*', 'sdk'],
      ['firefox', undefined, 'sdk'],
      ['curl', '*/*', 'sdk'],
      ['none', undefined, 'sdk'],
      ['none', '*/*', 'sdk'],
      ['claudeCode', HTML, 'sdk'],
      ['chatGpt', HTML, 'sdk'],
      ['gemini', HTML, 'sdk'],
      ['perplexity', HTML, 'sdk'],
      ['lowerCase', HTML, 'sdk'],
      ['googlebot', HTML, 'sdk'],
      ['applebot', HTML, 'sdk'],
    ];
    test.each(matrix)('for %s asking for %j is the %s', async (agent, accept, kind) => {
      const { status, headers, text } = await client.get(LINK, headersOf(agent, accept));
      expect(status).toBe(200);
      expect(headers['content-type']).toBe(
        kind === 'chat' ? 'text/html; charset=utf-8' : 'text/markdown; charset=utf-8',
      );
      expect(headers['cache-control']).toBe('no-store');
      expect(headers.vary).toBe('User-Agent, Accept, Accept-Encoding');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['x-content-type-options']).toBe('nosniff');
      if (kind === 'stub') {
        expect(text).toContain(`curl`);
        expect(text).toContain(`${server.url}${LINK}`);
        expect(text).not.toContain('You are the joiner');
      }
      if (kind === 'sdk') {
        expect(text).toContain('You are the joiner');
        expect(text).toContain(`${server.url}/c/${ID}/bootstrap.sh?token=${TOKEN}`);
        expect(text).not.toMatch(/\{\{[A-Z_]+\}\}/);
      }
      if (kind === 'chat') {
        expect(text).toContain(`data-channel="${ID}"`);
        expect(text).toContain(`data-token="${TOKEN}"`);
        expect(headers['content-security-policy']).toContain("default-src 'none'");
      }
    });

    test.each([
      ['an absent token', `/c/${ID}`],
      ['an empty token', `/c/${ID}?token=`],
      ['a token that is not hex', `/c/${ID}?token=zz`],
      ['an id that is not hex', `/c/zz?token=${TOKEN}`],
    ])('tells a browser with %s that the link is incomplete', async (_label, path) => {
      const { status, headers, text } = await client.get(path, headersOf('firefox', HTML));
      expect(status).toBe(400);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
      expect(headers.vary).toBe('User-Agent, Accept, Accept-Encoding');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(text).toMatch(/incomplete/i);
    });

    test.each([`/c/${ID}`, `/c/${ID}?token=`, `/c/${ID}?token=zz`, `/c/${ID}?token=%24(id)`])(
      'gives an agent the page for %s with a placeholder',
      async (path) => {
        const { status, text } = await client.get(path, headersOf('curl', '*/*'));
        expect(status).toBe(200);
        expect(text).toContain('You are the joiner');
        expect(text).toContain(ID);
        expect(text).not.toContain('$(id)');
        expect(text).not.toMatch(/token=zz/);
      },
    );

    const hostile = [
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      '$(touch /tmp/x)',
      '`id`',
      "';id;'",
      'a\nb',
      '```\n# Heading',
      '[click](javascript:alert(1))',
    ];
    test.each(hostile)('escapes the id %j wherever it is shown', async (id) => {
      const path = `/c/${encodeURIComponent(id)}?token=${TOKEN}`;
      for (const headers of [headersOf('curl'), headersOf('claudeUser'), headersOf('firefox', HTML)]) {
        const answer = await client.get(path, headers);
        expect([200, 400]).toContain(answer.status);
        expect(answer.text).not.toContain(id);
      }
    });

    test('depends on URL and base only', async () => {
      const first = await client.get(LINK, headersOf('curl', '*/*'));
      const peer = await (await client.create()).join('a');
      await peer.send('x');
      expect((await client.get(LINK, headersOf('gemini', HTML))).text).toBe(first.text);
    });

    test('takes the first of several tokens', async () => {
      const { text } = await client.get(`${LINK}&token=cd`, headersOf('curl'));
      expect(text).toContain(`token=${TOKEN}`);
    });
  });

  describe('front page', () => {
    const matrix: [Agent, string | undefined, boolean][] = [
      ['firefox', HTML, true],
      ['none', HTML, true],
      ['googlebot', HTML, true],
      ['applebot', HTML, true],
      ['curl', '*/*', false],
      ['none', undefined, false],
      ['firefox', 'application/json', false],
      ['claudeUser', HTML, false],
      ['claudeCode', HTML, false],
      ['chatGpt', HTML, false],
    ];
    test.each(matrix)('for %s asking for %j: HTML is %s', async (agent, accept, html) => {
      const { status, headers, text } = await client.get('/', headersOf(agent, accept));
      expect(status).toBe(200);
      expect(headers.vary).toBe('User-Agent, Accept, Accept-Encoding');
      expect(headers['cache-control']).toBe('no-store');
      if (html) {
        expect(headers['content-type']).toBe('text/html; charset=utf-8');
        expect(text).toMatch(/^<!doctype html>/i);
      } else {
        expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
        expect(text).toBe((await client.get('/llms.txt')).text);
      }
    });

    test('llms.txt is the same for everyone', async () => {
      const { headers, text } = await client.get('/llms.txt', headersOf('firefox', HTML));
      expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
      expect(text).toContain('You are the initiator');
      expect(text).not.toContain('You are the joiner');
    });
  });

  describe('scripts', () => {
    const joiner = `/c/${ID}/bootstrap.sh?token=${TOKEN}`;
    test.each(['/bootstrap.sh', '/loop.sh', '/helpers.sh', '/skill.sh', joiner])(
      '%s is plain text with LF line ends',
      async (path) => {
        const { status, headers, text } = await client.get(path);
        expect(status).toBe(200);
        expect(headers['content-type']).toBe('text/plain; charset=utf-8');
        expect(headers['cache-control']).toBe('no-store');
        expect(text).not.toContain('\r');
        expect(text.endsWith('\n')).toBe(true);
      },
    );

    test('are served for a channel that does not exist, and with capitals', async () => {
      expect((await client.get(`/c/${ID.toUpperCase()}/bootstrap.sh?token=AB`)).status).toBe(200);
    });
  });

  test.each([
    '/',
    '/llms.txt',
    '/bootstrap.sh',
    '/loop.sh',
    '/helpers.sh',
    '/skill.sh',
    '/agentalk/skill.md',
    '/health',
    '/healthz',
    '/ready',
    '/metrics',
    LINK,
    `/c/${ID}/bootstrap.sh?token=${TOKEN}`,
    `/c/${ID}/bootstrap.sh`,
    '/nowhere',
  ])('HEAD %s has the status and headers of GET', async (path) => {
    for (const headers of [headersOf('curl', '*/*'), headersOf('firefox', HTML)]) {
      const get = await client.get(path, headers);
      const head = await client.call('HEAD', path, { headers });
      expect(head.text).toBe('');
      expect(head.status).toBe(get.status);
      expect(comparable(head.headers)).toEqual(comparable(get.headers));
    }
  });

  describe('unrouted', () => {
    const requests: [string, string, string | undefined][] = [
      ['GET', '/nowhere', undefined],
      ['POST', '/', '{}'],
      ['POST', '/nowhere', '{"broken":'],
      ['POST', '/llms.txt', 'x'],
      ['DELETE', '/health', undefined],
      ['PUT', '/c/aa', 'x'],
      ['OPTIONS', '/', undefined],
      ['GET', '/channels/aa', undefined],
      ['GET', '/channels/aa/unknown', undefined],
      ['GET', '/channels/', undefined],
      ['GET', '//channels', undefined],
      ['GET', '/../etc/passwd', undefined],
    ];
    test.each(requests)('%s %s is a 404 that says where to look', async (method, path, body) => {
      const { status, headers, text } = await client.call(method, path, {
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect(status).toBe(404);
      expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
      expect(headers.vary).toBe('User-Agent, Accept');
      expect(text).toContain(method);
      expect(text).toContain(path);
      expect(text).toContain('SDK page');
      expect(text).toContain(`GET ${server.url}/llms.txt`);
      expect(text).toContain('no `POST /`');
    });

    test.each(['nonsense', '', 'text/plain', 'multipart/form-data'])(
      'is a 404 whatever content type a body has (%j)',
      async (type) => {
        const call = { body: 'x', headers: { 'content-type': type } };
        expect((await client.call('POST', '/nowhere', call)).status).toBe(404);
      },
    );

    test('is HTML for browsers', async () => {
      const { status, headers, text } = await client.get('/nowhere', headersOf('firefox', HTML));
      expect(status).toBe(404);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers.vary).toBe('User-Agent, Accept');
      expect(text).toMatch(/^<!doctype html>/i);
    });

    test.each(['/<script>alert(1)</script>', '/%3Cscript%3Ealert(1)%3C/script%3E', '/`$(id)`'])(
      'shows %s harmlessly',
      async (path) => {
        const html = await client.get(path, headersOf('firefox', HTML));
        expect(html.text).not.toContain('<script>alert');
        expect((await client.get(path)).status).toBe(404);
      },
    );

    test('does not repeat the query', async () => {
      const { text } = await client.get('/nowhere?token=hidden');
      expect(text).not.toContain('hidden');
    });
  });
});
