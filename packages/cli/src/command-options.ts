import { type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_SERVER } from './default-server.ts';

export const serverOption = (): Option =>
  new Option('--server <url>', 'the server; default: $PARLEY_URL or the local one').default(
    process.env['PARLEY_URL'] || DEFAULT_SERVER,
  );

/** What every command has that calls a server as an agent. */
export function onServer(command: Command, json = "print the server's answer as it is"): Command {
  return command
    .addOption(serverOption())
    .option('--stdin', 'read the API key from standard input')
    .option('--json', json);
}

/** The last line of a command's help. */
export const exitCodes = (gone: string): string =>
  `Exit codes: 0 done, 1 failed, 2 wrong use or input, 3 ${gone}, 4 not allowed or no key, 5 refused by a rule, 7 no server`;

export function count(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1.');
  return Number(text);
}

export function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0)) throw new InvalidArgumentError('Seconds are a number from 0.');
  return value;
}

export const collected = (name: string, before: readonly string[] = []): string[] => [...before, name];

export const formatOption = (): Option =>
  new Option('--format <manager>', 'the service manager').choices(['systemd', 'launchd']).default('systemd');
