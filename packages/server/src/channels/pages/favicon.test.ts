import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../testing/start-server.ts';

describe('favicon', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  test('is an image browsers may keep for a day', async () => {
    const response = await fetch(`${server.url}/favicon.ico`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/svg+xml');
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400');
    expect(await response.text()).toMatch(/^<svg /);
  });

  test('is allowed by the policy of the pages that are no conversation', async () => {
    for (const path of ['/', '/nowhere', '/v1/auth/verify']) {
      const response = await fetch(`${server.url}${path}`, { headers: { accept: 'text/html' } });
      expect(response.headers.get('content-security-policy')).toContain("img-src 'self'");
    }
  });
});
