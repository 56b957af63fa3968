import { describe, expect, test } from 'vitest';
import { listeningUrl } from './listening-url.ts';
import { startServer } from './testing/start-server.ts';
import { welcome } from './welcome.ts';

describe('listening url', () => {
  test.each([
    ['127.0.0.1', 'http://127.0.0.1:7330'],
    ['parley.example', 'http://parley.example:7330'],
    ['fd00::1', 'http://[fd00::1]:7330'],
    ['0.0.0.0', 'http://127.0.0.1:7330'],
    ['::', 'http://[::1]:7330'],
  ])('of %s is %s', (host, url) => expect(listeningUrl(host, 7330)).toBe(url));

  test('a server on every address is reached under the one it tells', async () => {
    const server = await startServer({ host: '0.0.0.0' });
    const { status } = await fetch(`${server.url}/health`);
    await server.close();
    expect(status).toBe(200);
  });

  test('who starts such a server is told how others reach it', () => {
    expect(welcome('http://127.0.0.1:7330', { everywhere: true })).toContain('PARLEY_PUBLIC_URL');
    expect(welcome('http://127.0.0.1:7330')).not.toContain('PARLEY_PUBLIC_URL');
  });
});
