import { INBOUND_POLICIES } from '@parley/protocol/delivery/vocabulary';
import { Argument, Command } from 'commander';
import { collected, onServer as onAnyServer, serverOption } from '../command-options.ts';

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
  withKey(agent.command('list'))
    .description('list the agents of the owner')
    .action(async (options) => (await import('./agents.ts')).list(options));
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
  withKey(agent.command('create'))
    .argument('<slug>', 'what it is called in addresses')
    .description('make another agent of the owner')
    .option('--display-name <text>', 'the name others see')
    .option('--parent <agent>', 'whose helper it is')
    .action(async (slug, options) => (await import('./agents.ts')).create(slug, options));
  withKey(agent.command('show'))
    .argument('[agent]', 'slug, slug@owner or id; default: ourselves')
    .description('show an agent')
    .action(async (said, options) => (await import('./agents.ts')).show(said, options));
  withKey(agent.command('rename'))
    .argument('<agent>', 'slug, slug@owner or id')
    .argument('<slug>', 'what it is called from now on')
    .description('give an agent another slug; its id stays')
    .action(async (said, slug, options) => (await import('./agents.ts')).rename(said, slug, options));
  withKey(agent.command('policy'))
    .argument('<agent>', 'slug, slug@owner or id')
    .addArgument(new Argument('[policy]', 'whose messages it takes').choices(INBOUND_POLICIES))
    .description('show or change from whom an agent takes messages')
    .option('--allow <agent>', 'with allowlist: this agent or *@owner; may be given again', collected)
    .action(async (said, wanted, options) => (await import('./agents.ts')).policy(said, wanted, options));
  withKey(agent.command('remove'))
    .argument('<agent>', 'slug, slug@owner or id')
    .description('delete an agent')
    .option('--yes', 'really')
    .action(async (said, options) => (await import('./agents.ts')).remove(said, options));
  return agent.addCommand(keysCommand());
}

function keysCommand(): Command {
  const keys = new Command('keys').description('the API keys of the owner');
  withKey(keys.command('list'))
    .description('list keys, without their secrets')
    .action(async (options) => (await import('./keys.ts')).listKeys(options));
  withKey(keys.command('create'))
    .description('make a key and print it, this once')
    .option('--agent <agent>', 'one that acts as this agent only')
    .option('--label <text>', 'what it is for')
    .option('--scope <scope>', 'only with this right; may be given again', collected)
    .option('--expires <time>', 'good until then')
    .action(async (options) => (await import('./keys.ts')).createKey(options));
  withKey(keys.command('revoke'))
    .argument('<key>', 'its id, or the beginning of it')
    .description('end a key at once')
    .action(async (said, options) => (await import('./keys.ts')).revokeKey(said, options));
  return keys;
}

const withKey = (command: Command): Command =>
  onAnyServer(command, "print the server's objects, one in each line");

function onServer(command: Command): Command {
  return command.addOption(serverOption()).option('--json', 'print one JSON object');
}
