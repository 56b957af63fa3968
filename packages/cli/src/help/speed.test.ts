import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const BIN = fileURLToPath(new URL('../../bin/parley.mjs', import.meta.url));
/** About 150 ms on a machine where Node itself takes 40. */
const MOST_TIMES = 5;
const ROUNDS = 5;

/** Time of the processor, which others on the machine take less from than time on the wall; the best of a few. */
function cost(...words: string[]): number {
  const program = `process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stderr.write(String((user + system) / 1000)); });
    process.argv = ['node', ${JSON.stringify(BIN)}, ...${JSON.stringify(words)}];
    ${words.length === 0 ? '' : `import(${JSON.stringify(BIN)});`}`;
  const costs = Array.from({ length: ROUNDS }, () =>
    Number(spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' }).stderr),
  );
  return Math.min(...costs);
}

describe('parley', () => {
  test.each([
    [['--help']],
    [['send', '--help']],
    [['completion', 'bash']],
    [['__complete', '--', 'agent', '']],
  ])('%j costs less than five times what Node itself does', (words) => {
    expect(cost(...words) / cost()).toBeLessThan(MOST_TIMES);
  });
});
