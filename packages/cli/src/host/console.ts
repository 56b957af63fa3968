import { Command } from 'commander';
import { spawn } from 'node:child_process';
import { CliError, CONFIGURED } from '../cli-error.ts';
import { printJson, printLine } from '../output.ts';
import { passThrough } from './server-commands.ts';

const HELP = `
Give it the settings the server was started with, as flags, as PARLEY_* variables or in parley.json: it reads the key of the data
folder they name. The link lets one person in as the operator, once, within five minutes.`;

/** `parley console [flags]`: for the operator, who can read the key of the data folder. */
export function consoleCommand(): Command {
  return passThrough(new Command('console'))
    .description('open the console of a server in a browser, as the one who runs it')
    .option('--print', 'only print the link')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (options: { json?: true; print?: true }, command: Command) => {
      const [{ loadConfig, ConfigError }, { parseFlags }, codes, { systemClock }, urls, { consoleLink }] =
        await Promise.all([
          import('@parley/server/config/load'),
          import('@parley/server/config/flags'),
          import('@parley/server/identity/sign-ins/operator-code'),
          import('@parley/server/platform/clock'),
          import('@parley/server/listening-url'),
          import('@parley/server/welcome'),
        ]);
      try {
        const { config } = loadConfig({ flags: parseFlags(command.args), env: process.env });
        const base = config.publicUrl?.replace(/\/+$/, '') ?? urls.listeningUrl(config.host, config.port);
        const link = consoleLink(base, await codes.makeOperatorCode(config, systemClock));
        if (options.json) printJson({ url: link });
        else printLine(link);
        if (!options.json && !options.print && process.stdout.isTTY) openInBrowser(link);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        throw new CliError('invalid_configuration', `parley: ${error.message}`, {
          hint: CONFIGURED,
        });
      }
    });
}

/** Where there is no browser the printed link is what there is. */
function openInBrowser(link: string): void {
  const [program, ...before] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open'];
  const opened = spawn(program ?? '', [...before, link], { stdio: 'ignore', detached: true });
  opened.on('error', () => undefined);
  opened.unref();
}
