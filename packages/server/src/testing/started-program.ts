import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** What does not answer by then does not come, however busy the machine is. */
const PATIENCE_MS = 60_000;

/** Waits until a program that was just started answers. One that ends, or never does, fails with its last words. */
export async function untilAnswers(
  name: string,
  child: ChildProcess,
  answers: () => Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  let lastWords = '';
  const keep = (chunk: Buffer): void => {
    lastWords = (lastWords + chunk.toString()).slice(-4000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const deadline = performance.now() + patienceMs;
  for (;;) {
    // What it said before it ended is heard while it is asked once more.
    const end = child.exitCode ?? child.signalCode;
    if (await answers()) return;
    if (end !== null) throw new Error(`${name} ended at once (${end}): ${lastWords.trim()}`);
    if (performance.now() >= deadline) {
      if (child.stdin) child.stdin.end();
      else child.kill('SIGKILL');
      throw new Error(`${name} did not answer within ${patienceMs} ms: ${lastWords.trim()}`);
    }
    await sleep(10);
  }
}
