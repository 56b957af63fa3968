import { CliError, EXIT } from './cli-error.ts';

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: object): void {
  printLine(JSON.stringify(value));
}

/** To people and agents what happened, in one line on stderr; the exit code says it to scripts. */
export function reportFailure(error: unknown, json: boolean): number {
  const failure = error instanceof CliError ? error : unexpected(error);
  const line = json
    ? JSON.stringify({ error: failure.code, message: failure.message, ...failure.details })
    : failure.message;
  process.stderr.write(`${line}\n`);
  return failure.exitCode;
}

function unexpected(error: unknown): CliError {
  const message = error instanceof Error ? error.message : String(error);
  return new CliError('failed', `parley: ${message}`, { exitCode: EXIT.failed, cause: error });
}
