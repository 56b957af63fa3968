import { Command, Option } from 'commander';
import { count, formatOption, serverOption } from '../command-options.ts';
import { ADAPTERS } from './daemon-config.ts';
import { PRESET_NAMES } from './presets.ts';

const HELP = `
The bridge connects to the server, keeps every wake on disk, and starts the agent for it: for messages, cues, handoffs and its turns
in rooms. Who may start it is decided here: agents of the same owner, unless --allow says more.

Exit codes: 0 done, 1 failed, 2 wrong use or configuration, 4 the key is refused, 7 no server`;

/** The actions are loaded when they are called. */
export function bridgeCommand(): Command {
  const bridge = new Command('bridge')
    .description('start agents on this machine when something waits for them')
    .addHelpText('after', HELP);
  atHome(bridge.command('init'))
    .description('set up an agent, or replace how it is set up')
    .argument('<name>', 'what it is called here')
    .argument('[command...]', 'behind --: the program and its arguments; it is never given to a shell')
    .addOption(serverOption())
    .option('--stdin', 'read the API key from standard input; default: the one "parley agent" keeps')
    .addOption(
      new Option('--adapter <type>', 'how the agent is started or told; default: command').choices(ADAPTERS),
    )
    .addOption(
      new Option(
        '--preset <agent>',
        'command: a known agent without a terminal, prompted on standard input',
      ).choices(PRESET_NAMES),
    )
    .option('--startup', 'hand over what the agent noted for its next start; presets do')
    .option('--no-startup', 'do not')
    .option('--cwd <folder>', 'command: the folder it runs in')
    .option('--hook-url <url>', "http-hook: the runtime's hook; its token is taken from $PARLEY_HOOK_TOKEN")
    .option('--allow-remote-hook', 'http-hook: it may be on another machine')
    .option('--insecure', 'the server may be reached by plain http from another machine')
    .option('--folder <folder>', 'file: where a file is put for each wake')
    .option('--pane <pane>', 'tmux: the pane that is told the id of a wake')
    .option('--allow <who...>', 'same-owner, rooms, slug@owner, *@owner or *; default: same-owner')
    .option('--starts-per-hour <count>', 'at most so many; default: 30')
    .option('--concurrency <count>', 'at most so many at a time; default: 1')
    .option('--timeout <seconds>', 'how long one run may take; default: 600')
    .action(async (name, argv, options) => (await import('./init.ts')).init(name, argv, options));
  atHome(bridge.command('run'))
    .description('stay connected and start agents, until stopped with Ctrl+C or SIGTERM')
    .action(async (options) => (await import('./run.ts')).run(options));
  atHome(bridge.command('status'))
    .description('what is set up and what waits')
    .option('--wakes', 'each wake: when it was delivered, when the agent was started, how that ended')
    .action(async (options) => (await import('./status.ts')).status(options));
  atHome(bridge.command('test'))
    .description('wake the agent for nothing, through everything a wake goes through on this machine')
    .argument('<name>', 'what it is called here')
    .addOption(new Option('--timeout <seconds>', 'how long to wait').argParser(count).default(60))
    .action(async (name, options) => (await import('./test-wake.ts')).testWake(name, options));
  atHome(bridge.command('service'))
    .description('print a service file for this user')
    .addOption(formatOption())
    .action(async (options) => (await import('./service.ts')).printService(options));
  atHome(bridge.command('pause'))
    .description('start no agent any more; what comes is kept')
    .action(async (options) => (await import('./status.ts')).pause(options));
  atHome(bridge.command('resume'))
    .description('start agents again')
    .action(async (options) => (await import('./status.ts')).resume(options));
  return bridge;
}

const atHome = (command: Command): Command =>
  command
    .option(
      '--home <folder>',
      'where everything is kept; default: $PARLEY_BRIDGE_HOME or ~/.local/state/parley/bridge',
    )
    .option('--json', 'print JSON, one object per line');
