import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { untilAnswers } from './started-program.ts';

const never = async (): Promise<boolean> => {
  await turn();
  return false;
};

test('a program that ends before it answers fails with its last words', async () => {
  const child = spawn('sh', ['-c', 'echo no such port >&2; exit 3'], { stdio: ['ignore', 'pipe', 'pipe'] });
  await expect(untilAnswers('it', child, never)).rejects.toThrow('it ended at once (3): no such port');
});

test.each(['ignore', 'pipe'] as const)(
  'one that never answers fails with its last words, and is ended (standard input: %s)',
  async (stdin) => {
    const script = 'echo still loading; if [ "$0" = pipe ]; then exec cat; fi; exec sleep 600';
    const child = spawn('sh', ['-c', script, stdin], { stdio: [stdin, 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    const afterWords = async (): Promise<boolean> => {
      await once(child.stdout ?? child, 'data');
      return false;
    };
    await expect(untilAnswers('it', child, afterWords, 0)).rejects.toThrow(
      'it did not answer within 0 ms: still loading',
    );
    await ended;
  },
);
