import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

// A change may make a loop endless. That is noticed too: a run of the tests would never end. How long it takes in all
// says nothing: some sources have most of the tests, and a test is slow to fail where it waits for what never comes.
const PATIENCE_MS = 10 * 60_000;
const FAILED = /^\s*(?:×|FAIL)\s+(.+?)(?:\s+\d+ms)?$/m;

/** The name of the test that fails, so that one can see whether it failed because of the change. */
export async function failureOf(root, tests) {
  if (tests.length === 0) return undefined;
  const vitest = join(root, 'node_modules/.bin/vitest');
  const child = spawn(vitest, ['run', '--bail=1', '--reporter=verbose', ...tests], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Built already, without the compiler (built.mjs).
    env: { ...process.env, TEST_SKIP_BUILD: '1' },
  });
  let output = '';
  let silent = false;
  const end = () => child.kill('SIGTERM');
  const patience = setTimeout(() => {
    silent = true;
    end();
  }, PATIENCE_MS);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      patience.refresh();
    });
  }
  process.once('exit', end);
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(patience);
  process.off('exit', end);
  if (code === 0) return undefined;
  if (silent) return 'no test ended for ten minutes';
  return FAILED.exec(stripVTControlCharacters(output))?.[1] ?? 'an error outside of the tests';
}
