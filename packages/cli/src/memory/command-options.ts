import { type Command, InvalidArgumentError } from 'commander';

const DEFAULT_SERVER = 'http://127.0.0.1:7330';

/** What every command has that calls a server as an agent. */
export function onServer(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'the server; default: $PARLEY_URL or the local one',
      process.env['PARLEY_URL'] || DEFAULT_SERVER,
    )
    .option('--stdin', 'read the API key from standard input')
    .option('--json', "print the server's answer as it is");
}

export function count(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1.');
  return Number(text);
}

export const collected = (name: string, before: readonly string[] = []): string[] => [...before, name];
