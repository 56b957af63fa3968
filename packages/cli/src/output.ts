import { CliError, EXIT, NO_KEY, NO_SERVER } from './cli-error.ts';
import { harmless, harmlessJson, harmlessLine } from './harmless.ts';
import type { Page } from './memory/page.ts';

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A line with words of a server in it. A link may lead to anyone's, and so may an address. */
export function printTold(line: string): void {
  printLine(harmless(line));
}

export function printJson(value: object): void {
  printJsonText(JSON.stringify(value));
}

/** As the server wrote it. */
export function printJsonText(json: string): void {
  printLine(harmlessJson(json));
}

/** What the view made; in a pipe, what is no row of it goes to standard error. */
export function printPage(page: Page): void {
  const text = page.toString();
  if (text !== '') printLine(text);
  for (const aside of page.asides) printNote(aside);
}

/** For the person at the terminal; scripts that read the result do not see it. */
export function printNote(line: string): void {
  process.stderr.write(`parley: ${harmless(line)}\n`);
}

export interface Reporting {
  readonly json: boolean;
  readonly debug?: boolean;
  /** Which command failed, such as `parley doc read`. */
  readonly command?: string;
  /** What lists the things it is about. */
  readonly lists?: string | undefined;
}

/** To people and agents what happened and what to do, on stderr, in a line each; the exit code says it to scripts. */
export function reportFailure(error: unknown, reporting: Reporting): number {
  const { json, debug } = reporting;
  const failure = error instanceof CliError ? error : unexpected(error);
  const [message, hint] = told(failure, reporting);
  if (json) {
    const bare = message.replace(/^parley: /, '');
    const object = { error: failure.code, message: bare, ...failure.details, hint };
    process.stderr.write(`${harmlessJson(JSON.stringify(object))}\n`);
  } else {
    // Channels have words of their own, which scripts know.
    const who = /^(?:parley|agentalk): /.test(message) ? '' : 'parley: ';
    process.stderr.write(`${who}${harmlessLine(message)}\n`);
    printNote(harmlessLine(hint));
  }
  if (debug) process.stderr.write(`${stackOf(error)}\n`);
  return failure.exitCode;
}

/** What happened and what to do; in "exists already; --force replaces it" one sentence says both. */
function told({ message, hint, exitCode }: CliError, reporting: Reporting): [message: string, hint: string] {
  if (hint !== undefined) return [message, hint];
  const at = message.lastIndexOf('; ');
  return at === -1
    ? [message, usualHint(exitCode, reporting)]
    : [message.slice(0, at), message.slice(at + 2)];
}

/** Where nobody knew better. */
function usualHint(exitCode: number, { command = 'parley', lists }: Reporting): string {
  switch (exitCode) {
    case EXIT.misuse:
      return `"${command} --help" shows how, with examples`;
    case EXIT.gone:
      return `"${lists ?? `${command} --help`}" shows what there is`;
    case EXIT.denied:
      return NO_KEY;
    case EXIT.refused:
      return 'try again when that has changed';
    case EXIT.unreachable:
      return NO_SERVER;
    default:
      return '"parley doctor" checks the set-up; --debug shows where it failed';
  }
}

function unexpected(error: unknown): CliError {
  const message = error instanceof Error ? error.message : String(error);
  return new CliError('failed', `parley: ${message}`, { exitCode: EXIT.failed, cause: error });
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${stackOf(error.cause)}`;
  return harmless(`${error.stack ?? error.message}${cause}`);
}
