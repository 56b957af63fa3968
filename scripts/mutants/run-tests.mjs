import { spawn } from 'node:child_process';
import { join } from 'node:path';

// A change may make a loop endless. That is noticed too: a run of the tests would never end.
const PATIENCE_MS = 10 * 60_000;

/** Whether one of the tests fails. */
export async function fails(root, tests) {
  if (tests.length === 0) return false;
  const vitest = join(root, 'node_modules/.bin/vitest');
  const child = spawn(vitest, ['run', '--bail=1', '--reporter=dot', ...tests], {
    cwd: root,
    stdio: 'ignore',
    // Built already, without the compiler (built.mjs).
    env: { ...process.env, TEST_SKIP_BUILD: '1' },
  });
  const end = () => child.kill('SIGTERM');
  process.once('exit', end);
  const patience = setTimeout(end, PATIENCE_MS);
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearTimeout(patience);
  process.off('exit', end);
  return code !== 0;
}
