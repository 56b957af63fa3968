import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { loadConfig } from './load.ts';
import { printableConfig } from './print.ts';
import { SETTINGS } from './settings.ts';

const shown = (env: Record<string, string> = {}, flags: Record<string, string> = {}) =>
  printableConfig(loadConfig({ env, flags, cwd: tmpdir() }));

describe('config print', () => {
  test('shows every setting with its value, origin and names', () => {
    const printed = shown({ CH_IDLE_TIMEOUT_MS: '5' }, { port: '80' });
    expect(Object.keys(printed)).toHaveLength(Object.keys(SETTINGS).length);
    expect(printed.port).toMatchObject({ value: 80, from: 'flag', flag: '--port', variable: 'PARLEY_PORT' });
    expect(printed.ch_idle_timeout_ms).toMatchObject({ value: 5, from: 'environment' });
    expect(printed.host).toMatchObject({ value: '127.0.0.1', from: 'default' });
    for (const entry of Object.values(printed))
      expect(entry).toHaveProperty('help', expect.stringMatching(/./));
  });

  test('hides secrets, and says whether they are set', () => {
    const url = 'postgres://parley:hunter2@db/parley';
    const key = '5e'.repeat(32);
    const printed = shown({ PARLEY_DATABASE_URL: url, PARLEY_SECRET_KEY: key });
    for (const secret of ['hunter2', key]) expect(JSON.stringify(printed)).not.toContain(secret);
    expect(printed.database_url).toMatchObject({ value: '(set)', from: 'environment' });
    expect(printed.secret_key).toMatchObject({ value: '(set)' });
    expect(shown().secret_key).toMatchObject({ value: null });
  });
});
