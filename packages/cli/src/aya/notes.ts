import { CliError } from '../cli-error.ts';
import { harmless } from '../harmless.ts';
import { BRIDGE_EXIT, reasonOf } from '../bridge/failures.ts';

/** For the person at the terminal. */
export function note(line: string): void {
  process.stderr.write(`aya: ${harmless(line)}\n`);
}

/** One line what happened, one line what to do; returns the exit code that says it to scripts. */
export function noteFailure(error: unknown): number {
  note(reasonOf(error));
  if (!(error instanceof CliError)) return BRIDGE_EXIT.failed;
  if (error.hint !== undefined) note(error.hint);
  return error.exitCode;
}
