import { spawn } from 'node:child_process';

export interface Job {
  readonly id: string;
  readonly cueId: string;
  readonly task: string | null;
  readonly payload: unknown;
  readonly server: string;
}

/** What came of it, as it is reported. */
export interface Ran {
  readonly success: boolean;
  readonly result?: string;
  readonly error?: string;
}

const KEPT_CHARS = 2_000;

/**
 * One run of the command. The payload goes to its standard input and never into an argument: nothing that somebody else wrote can
 * become an option or, with a shell, a second command.
 */
export async function runJob([program = '', ...words]: readonly string[], job: Job): Promise<Ran> {
  return await new Promise<Ran>((resolve) => {
    const child = spawn(program, words, {
      shell: false,
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        ...process.env,
        PARLEY_URL: job.server,
        PARLEY_EXECUTION_ID: job.id,
        PARLEY_CUE_ID: job.cueId,
        ...(job.task !== null && { PARLEY_TASK: job.task }),
      },
    });
    let printed = '';
    child.stdout
      .setEncoding('utf8')
      .on('data', (text: string) => (printed = (printed + text).slice(-KEPT_CHARS)));
    // A command that does not read what it is given is no fault.
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(job.payload));
    child.once('error', ({ message }) => resolve({ success: false, error: message }));
    child.once('close', (code, signal) => {
      const result = printed.trim();
      if (code === 0) resolve({ success: true, ...(result !== '' && { result }) });
      else
        resolve({
          success: false,
          error: `ended with ${signal ?? `exit code ${code}`}`,
          ...(result !== '' && { result }),
        });
    });
    // What no process can be given, such as a task with a NUL in its name: that is no reason to stop working.
  }).catch((error: unknown) => ({
    success: false,
    error: error instanceof Error ? error.message : String(error),
  }));
}
