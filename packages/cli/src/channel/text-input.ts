import { CliError } from '../cli-error.ts';

/** The argument, or all of standard input when it is `-` or absent. Input is taken as it is, line ends included. */
export async function textInput(argument: string | undefined, what: string): Promise<string> {
  if (argument !== undefined && argument !== '-') return argument;
  if (argument === undefined && process.stdin.isTTY) {
    throw new CliError('missing_input', `parley: give the ${what} as an argument or on standard input`);
  }
  process.stdin.setEncoding('utf8');
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  return text;
}
