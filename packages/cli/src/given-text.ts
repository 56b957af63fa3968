import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { textInput } from './channel/text-input.ts';
import { CliError, EXIT } from './cli-error.ts';
import { serverOption } from './command-options.ts';

export interface TextOptions {
  file?: string | undefined;
}

/** Of a command that takes a text: standard input is for that, and the key is the one that is kept. */
export function onServerWithText(command: Command, what: string): Command {
  return command
    .addOption(serverOption())
    .option('--file <path>', `read the ${what} from this file; - for standard input`)
    .option('--json', "print the server's answer as it is");
}

/** The argument, or what is in the file, or all of standard input. */
export async function givenText(
  argument: string | undefined,
  { file }: TextOptions,
  what: string,
): Promise<string> {
  if (argument !== undefined && file !== undefined) {
    throw new CliError('usage', `parley: the ${what} is given twice, as an argument and with --file`, {
      hint: 'leave one of them out',
    });
  }
  if (file === undefined || file === '-') return await textInput(file ?? argument, what);
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new CliError('no_such_file', `parley: ${file} cannot be read`, {
      exitCode: EXIT.misuse,
      cause: error,
    });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CliError('not_utf8', `parley: ${file} is not UTF-8 text`, { exitCode: EXIT.misuse });
  }
}

/** What a text says that is to be JSON. */
export function jsonFrom(text: string, what: string, example: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw new CliError('invalid_json', `parley: the ${what} is no JSON`, {
      exitCode: EXIT.misuse,
      hint: `give it as ${example}`,
    });
  }
}
