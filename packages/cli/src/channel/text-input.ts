import { CliError } from '../cli-error.ts';

/** The argument, or all of standard input when it is `-` or absent. Input is taken as it is, line ends included. */
export async function textInput(argument: string | undefined, what: string): Promise<string> {
  if (argument !== undefined && argument !== '-') return argument;
  if (argument === undefined && process.stdin.isTTY) {
    throw new CliError('missing_input', `parley: give the ${what} as an argument or on standard input`);
  }
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(Buffer.from(part));
  return decoded(Buffer.concat(parts), what);
}

/** A key or a code, which is never taken from the command line. */
export async function secretInput(what: string): Promise<string> {
  const given = (await textInput('-', what)).trim();
  if (given === '')
    throw new CliError('missing_input', `parley: there is no ${what} on standard input`, {
      hint: `hand it over with a pipe: printf %s … | parley …`,
    });
  return given;
}

/** Bytes that are no text would arrive as something else than what was sent. */
function decoded(bytes: Buffer, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CliError('not_utf8', `parley: the ${what} on standard input is not UTF-8 text`);
  }
}
