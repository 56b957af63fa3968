import { CliError, EXIT } from './cli-error.ts';
import { harmless } from './harmless.ts';

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A line with words of a server in it. A link may lead to anyone's, and so may an address. */
export function printTold(line: string): void {
  printLine(harmless(line));
}

export function printJson(value: object): void {
  printLine(JSON.stringify(value));
}

/** For the person at the terminal; scripts that read the result do not see it. */
export function printNote(line: string): void {
  process.stderr.write(`parley: ${harmless(line)}\n`);
}

/** To people and agents what happened and what to do, on stderr; the exit code says it to scripts. */
export function reportFailure(error: unknown, json: boolean): number {
  const failure = error instanceof CliError ? error : unexpected(error);
  const line = json
    ? JSON.stringify({
        error: failure.code,
        message: failure.message,
        ...failure.details,
        hint: failure.hint,
      })
    : harmless(failure.message);
  process.stderr.write(`${line}\n`);
  if (failure.hint !== undefined && !json) printNote(failure.hint);
  return failure.exitCode;
}

function unexpected(error: unknown): CliError {
  const message = error instanceof Error ? error.message : String(error);
  return new CliError('failed', `parley: ${message}`, { exitCode: EXIT.failed, cause: error });
}
