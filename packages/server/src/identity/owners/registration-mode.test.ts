import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../config/load.ts';
import { startServer } from '../../testing/start-server.ts';
import { welcome } from '../../welcome.ts';
import { registrationMode } from './registration-mode.ts';

const mode = (
  host: string,
  registration: 'auto' | 'open' | 'invite' | 'closed',
  allowOpenRegistration = false,
) => registrationMode({ host, registration, allowOpenRegistration });

describe('registration mode', () => {
  test.each(['127.0.0.1', '127.3.2.1', 'localhost', 'LOCALHOST', '::1', '[::1]'])('is open on %s', (host) => {
    expect(mode(host, 'auto')).toBe('open');
    expect(mode(host, 'open')).toBe('open');
  });

  test.each([
    '0.0.0.0',
    '::',
    '192.168.0.5',
    'parley.example.com',
    '127.example.com',
    'localhost.example.com',
    '',
  ])('is by invite on %j, and not open unless allowed', (host) => {
    expect(mode(host, 'auto')).toBe('invite');
    expect(() => mode(host, 'open')).toThrow(ConfigError);
    expect(() => mode(host, 'open')).toThrow('allow_open_registration');
    expect(mode(host, 'open', true)).toBe('open');
  });

  test.each(['127.0.0.1', '0.0.0.0'])('is what was asked for on %s', (host) => {
    expect(mode(host, 'invite')).toBe('invite');
    expect(mode(host, 'closed')).toBe('closed');
  });

  test('keeps the server from starting, before it touches its data', async () => {
    const dataDir = join(mkdtempSync(join(tmpdir(), 'parley-test-')), 'data');
    await expect(startServer({ dataDir, host: '0.0.0.0', registration: 'open' })).rejects.toThrow(
      ConfigError,
    );
    expect(existsSync(dataDir)).toBe(false);
    rmSync(join(dataDir, '..'), { recursive: true });
  });

  test('is by invite when the server listens elsewhere, and the code is shown to the operator', async () => {
    const server = await startServer({ host: '0.0.0.0' });
    const { startInvite } = server.context.identity;
    await server.close();
    expect(startInvite).toMatch(/^inv_/);
    expect(welcome('http://x', { invite: startInvite })).toContain(startInvite);
    expect(welcome('http://x')).not.toContain('invite');
  });
});
