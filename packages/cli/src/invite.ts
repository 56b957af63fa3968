import { Command } from 'commander';
import { CliError, CONFIGURED } from './cli-error.ts';
import { printJson, printLine } from './output.ts';
import { passThrough } from './host/server-commands.ts';

const HELP = `
Give it the settings the server was started with, as flags, as PARLEY_* variables or in parley.json: it writes to the store
they name (--data-dir or --database-url), while the server runs or not. The code goes to standard output
alone, where "parley agent register NAME --invite" can read it.`;

/** `parley invite [flags]`: for the operator, who can reach the store. */
export function inviteCommand(): Command {
  return passThrough(new Command('invite'))
    .description('make a code that lets one owner or agent register, once, within seven days')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async ({ json }: { json?: true }, command: Command) => {
      const [{ ConfigError }, { operatorConfig }, { parseFlags }, { makeInvite }] = await Promise.all([
        import('@parley/server/config/load'),
        import('@parley/server/config/operator-config'),
        import('@parley/server/config/flags'),
        import('@parley/server/identity/owners/make-invite'),
      ]);
      try {
        const config = operatorConfig({ flags: parseFlags(command.args), env: process.env });
        const { code, expiresAt } = await makeInvite(config);
        if (json) printJson({ invite: code, expires_at: new Date(expiresAt).toISOString() });
        else printLine(code);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        throw new CliError('invalid_configuration', `parley: ${error.message}`, {
          hint: CONFIGURED,
        });
      }
    });
}
