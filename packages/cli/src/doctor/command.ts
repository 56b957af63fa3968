import { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { serverOption } from '../command-options.ts';
import { passThrough } from '../host/server-commands.ts';

const HELP = `
Looks at Node, the server, the clock, the key, the stream, the bridge of this machine and the programs it starts: a line each, and what to
do about what is broken. With --store it checks the database file instead: give it the settings the server was started with, as flags,
as PARLEY_* variables or in parley.json. The store is read, never changed, while the server runs or not.`;

export function doctorCommand(): Command {
  return passThrough(new Command('doctor'))
    .description('check everything between this terminal and an agent that starts')
    .addOption(serverOption())
    .option('--store', 'check the database file in the data folder instead')
    .option('--json', 'print JSON, one object per line')
    .addHelpText('after', HELP)
    .action(async (options, command: Command) => {
      if (options.store)
        return await (await import('./store.ts')).checkStoreOf(command.args, options.json ?? false);
      const [extra] = command.args;
      if (extra !== undefined)
        throw new CliError('usage', `parley: doctor does not know ${extra} without --store`);
      await (await import('./doctor.ts')).doctor(options);
    });
}
