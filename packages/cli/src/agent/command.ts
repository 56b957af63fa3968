import { Command } from 'commander';
import { serverOption } from '../command-options.ts';

const CREDENTIALS = `
Keys and session tokens are kept in $XDG_CONFIG_HOME/parley/credentials.json or
~/.config/parley/credentials.json, readable by you alone. They are never taken from the command line, which other users
of this machine can see:
  printf '%s' "$KEY" | parley agent login --stdin`;

/** The actions are loaded when they are called: checking answers needs a library that other commands can do without. */
export function agentCommand(): Command {
  const agent = new Command('agent')
    .description('the identity of an agent on a server')
    .addHelpText('after', CREDENTIALS);
  onServer(agent.command('register'))
    .argument('<name>', 'the name others see')
    .description('register a new agent and keep its API key')
    .option('--invite', 'read an invite code from standard input')
    .option('--replace', 'use the new agent from now on; the key that is kept stays in the file')
    .action(async (name, options) => (await import('./actions.ts')).register(name, options));
  onServer(agent.command('login'))
    .description('open a session with the API key that is kept, or with one from standard input')
    .option('--stdin', 'read the API key from standard input; others stay in the file')
    .option('--profile <name>', 'of several keys that are kept, the one called so')
    .action(async (options) => (await import('./actions.ts')).login(options));
  onServer(agent.command('whoami'))
    .description('show who the server takes us for')
    .action(async (options) => (await import('./actions.ts')).whoami(options));
  return agent;
}

function onServer(command: Command): Command {
  return command.addOption(serverOption()).option('--json', 'print one JSON object');
}
