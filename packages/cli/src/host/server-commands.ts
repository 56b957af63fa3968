import { Command } from 'commander';
import { CliError, CONFIGURED, EXIT } from '../cli-error.ts';
import { formatOption } from '../command-options.ts';
import { printLine } from '../output.ts';
import type { ServiceFormat } from './service-files.ts';

const SETTINGS_HELP = `
Every setting can be given as a flag (--port 8080), as a variable (PARLEY_PORT=8080) or in a JSON file
(parley.json here, or --config FILE). "parley config print" lists them all with their values.`;

/** `parley serve [flags]`: the server in the foreground. Its flags are the server's settings, so they pass through. */
export function serveCommand(): Command {
  return passThrough(new Command('serve'))
    .description('run the server')
    .addHelpText('after', SETTINGS_HELP)
    .action(async (_options, command: Command) => {
      const { serve } = await import('@parley/server/main');
      process.exitCode = await serve(command.args);
    })
    .addCommand(serveServiceCommand());
}

/** `parley serve service [flags]`: for whoever does not want to run it by hand. */
function serveServiceCommand(): Command {
  return passThrough(new Command('service'))
    .description('print a service file for this user, with the flags it is given; it runs in this folder')
    .addOption(formatOption())
    .action(async ({ format }: { format: ServiceFormat }, command: Command) => {
      const { serviceFile } = await import('./service-files.ts');
      const text = serviceFile(
        {
          name: 'parley',
          description: 'Parley server',
          words: ['serve', ...command.args],
          folder: process.cwd(),
          environment: {},
          staysDown: [EXIT.misuse],
          more: ['LimitNOFILE=65536'],
        },
        format,
      );
      process.stdout.write(text);
    });
}

/** `parley config print [flags]` */
export function configCommand(): Command {
  const print = passThrough(new Command('print'))
    .description('print the effective settings as JSON, with the origin of each value')
    .action(async (_options, command: Command) => {
      const [{ loadConfig, ConfigError }, { parseFlags }, { printableConfig }] = await Promise.all([
        import('@parley/server/config/load'),
        import('@parley/server/config/flags'),
        import('@parley/server/config/print'),
      ]);
      try {
        const loaded = loadConfig({ flags: parseFlags(command.args), env: process.env });
        printLine(JSON.stringify(printableConfig(loaded), null, 2));
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        throw new CliError('invalid_configuration', `parley: ${error.message}`, {
          hint: CONFIGURED,
        });
      }
    });
  return new Command('config').description('look at the configuration').addCommand(print);
}

/** For commands whose flags are the server's settings. */
export function passThrough(command: Command): Command {
  return command.allowUnknownOption().allowExcessArguments();
}
