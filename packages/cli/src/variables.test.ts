import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@parley/server/config/load';
import { describe, expect, test } from 'vitest';
import { runHere } from './testing/run-here.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const installer = fileURLToPath(new URL('../../server/src/install.sh', import.meta.url));

/** Every variable that the command line, the bridge, the hooks and the installer read, or hand to what they start. */
const used = new Set(
  [installer, ...sources(here), ...sources(join(here, '../../sdk/src'))].flatMap(
    (file) => readFileSync(file, 'utf8').match(/\bPARLEY_[A-Z_]*[A-Z]\b/g) ?? [],
  ),
);
/** The tests' own, and a word that is no variable. */
const NO_VARIABLE = /^PARLEY_(?:TEST_.*|WAKE_V)$/;

describe('variables', () => {
  const names = [...used].filter((name) => !NO_VARIABLE.test(name)).toSorted();

  test('of the command line are found in its sources', () => {
    expect(names).toEqual(expect.arrayContaining(['PARLEY_BIN', 'PARLEY_BRIDGE_HOME', 'PARLEY_SUBJECT']));
  });

  test.each(names)('%s may be set where a server is configured', (name) => {
    expect(() => loadConfig({ env: { [name]: '' } })).not.toThrow();
  });

  test('of the bridge are no reason to refuse a command on the store', async () => {
    const env = { PARLEY_BRIDGE_HOME: '/nowhere', PARLEY_HOOK_TOKEN: 'x', PARLEY_RUN_ID: 'x' };
    const { code, stdout, stderr } = await runHere(['config', 'print'], '', env);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toHaveProperty('port');
  });
});

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}
