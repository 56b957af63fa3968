import { Command } from 'commander';
import { serverOption } from '../command-options.ts';

/** `parley login`, `logout`, `whoami` and the profiles they make. The actions are loaded when they are called. */
export function loginCommand(): Command {
  return new Command('login')
    .description('log in through a browser, or with a key from standard input, and keep it as a profile')
    .addOption(serverOption())
    .option('--stdin', 'read an API key from standard input')
    .option('--as <name>', 'what the profile is called; default: the agent or owner it is')
    .option('--email <address>', 'name the account here, instead of in the browser')
    .option('--json', 'print one JSON object')
    .action(async (options) => (await import('./login.ts')).login(options));
}

export function logoutCommand(): Command {
  return new Command('logout')
    .description('end the session and forget the profile, with its key')
    .addOption(serverOption())
    .option('--json', 'print one JSON object')
    .action(async (options) => (await import('./login.ts')).logout(options));
}

export function whoamiCommand(): Command {
  return new Command('whoami')
    .description('show who the server takes us for')
    .addOption(serverOption())
    .option('--stdin', 'read the API key from standard input')
    .option('--json', "print the server's answer as it is")
    .action(async (options) => (await import('./login.ts')).whoami(options));
}

export function profileCommand(): Command {
  const profile = new Command('profile').description('several servers and identities, kept in one file');
  profile
    .command('list')
    .description('list what is kept, with the one in use')
    .option('--json', 'print JSON, one object per line')
    .action(async (options) => (await import('./profiles.ts')).list(options));
  profile
    .command('use')
    .argument('<name>', 'the profile')
    .description('be this one, at its server, from now on')
    .option('--json', 'print one JSON object')
    .action(async (name, options) => (await import('./profiles.ts')).use(name, options));
  profile
    .command('remove')
    .argument('<name>', 'the profile')
    .description('forget a profile, with its key')
    .option('--json', 'print one JSON object')
    .action(async (name, options) => (await import('./profiles.ts')).remove(name, options));
  return profile;
}
