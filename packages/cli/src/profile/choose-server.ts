import type { Command } from 'commander';
import { CredentialsFile, credentialsPath } from '../agent/credentials-file.ts';
import { serverUrl } from '../agent/server-call.ts';
import { CliError } from '../cli-error.ts';
import { spelled } from '../usage.ts';
import { noProfile } from './profiles.ts';

/** With `--profile` these say what a new one is to be called. */
const MAKERS: readonly string[] = ['parley login', 'parley agent register'];

/**
 * Which server is meant: `--server`, else that of `--profile`, else `PARLEY_URL`, else that of the profile in use, else the one
 * this program came from.
 */
export function chooseServer(command: Command): void {
  if (!command.options.some(({ long }) => long === '--server')) return;
  const { profile } = command.opts<{ profile?: string }>();
  const given = command.getOptionValueSource('server') === 'cli';
  if (profile === undefined && (given || process.env['PARLEY_URL'])) return;
  const file = new CredentialsFile(credentialsPath(process.env));
  const found = profile === undefined ? undefined : file.profile(profile);
  if (profile !== undefined && !found && !MAKERS.includes(spelled(command))) throw noProfile(profile, file);
  if (!found) {
    const inUse = given || process.env['PARLEY_URL'] ? undefined : file.inUse();
    if (inUse) command.setOptionValueWithSource('server', inUse.server, 'config');
    return;
  }
  if (given && serverUrl(command.opts<{ server: string }>().server) !== found.server) {
    throw new CliError('usage', `parley: profile ${profile} is of ${found.server}`, {
      hint: 'leave --server out, or name a profile of that server',
    });
  }
  command.setOptionValueWithSource('server', found.server, 'config');
}
