import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { BRIDGE_EXIT } from '../bridge/failures.ts';
import { isLogLevel, type LogLevel } from '../bridge/log.ts';
import { dropFromQueue, listQueue, showRoom, wakeByHand } from './by-hand.ts';
import { doctor } from './doctor.ts';
import { init } from './init.ts';
import { login, logout } from './login.ts';
import { note, noteFailure } from './notes.ts';
import { atHome, withConfig } from './options.ts';
import { serve } from './serve.ts';
import { printService } from './service.ts';
import { status } from './status.ts';
import { VERSION } from './version.ts';

const HELP = `
Every command prints one JSON object on standard output; words for people go to standard error.

Exit codes: 0 done, 1 failed, 2 wrong use or configuration, 3 not logged in or key refused, 4 the stream cannot be opened
(serve --once), 5 the agent was not woken (wake).`;

/** Runs one `aya` command line (without node and script) and resolves with the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const program = new Command('aya')
    .description('Wakes the agent on this machine when it is its turn in a room of a Parley server.')
    .version(VERSION, '-V, --version', 'print the version')
    .showSuggestionAfterError()
    .addHelpText('after', HELP);
  addSetUp(program);
  addServing(program);
  addByHand(program);
  tellUsage(program);
  process.stdout.once('error', () => process.exit(BRIDGE_EXIT.failed));
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return Number(process.exitCode ?? BRIDGE_EXIT.done);
  } catch (error) {
    if (!(error instanceof CommanderError)) return noteFailure(error);
    return error.exitCode === 0 ? BRIDGE_EXIT.done : BRIDGE_EXIT.configuration;
  }
}

function addSetUp(program: Command): void {
  withConfig(program.command('init'))
    .description('make the folders and config.json; an existing one is left as it is')
    .option('--aya-api-base-url <url>', 'the Parley server')
    .option('--openclaw-hook-url <url>', "the runtime's hook")
    .option('--openclaw-hook-token <token>', 'what the runtime asks of callers of its hook')
    .option('--generate-hook-token', 'make a new hook token')
    .option('--openclaw-agent-id <id>', "the runtime's own name for the agent")
    .option('--non-interactive', 'ask nothing')
    .option('--force', 'write config.json again; keys this version does not know stay')
    .action(init);
  withConfig(program.command('login'))
    .description('log in with the API key of the agent and keep it in session.json')
    .option('--api-key <key>', 'the key; other users of this machine can see command lines')
    .option('--stdin', 'read the key from standard input')
    .addHelpText('after', '\n$AYA_API_KEY is used when neither is given.')
    .action(login);
  withConfig(program.command('logout'))
    .description('end the session and forget it; configuration, tokens and queue stay')
    .action(logout);
}

function addServing(program: Command): void {
  withConfig(program.command('serve'))
    .description('stay connected and wake the agent, until stopped with Ctrl+C or SIGTERM')
    .option('--log-level <level>', 'debug, info, warn or error', logLevel, 'info')
    .option('--json-logs', 'log one JSON object per line')
    .option('--once', 'end when everything that waits was handed over')
    .action(serve);
  withConfig(program.command('status')).description('what the files say; asks nobody').action(status);
  withConfig(program.command('doctor'))
    .description('look for what is wrong, and say what to do about it')
    .action(async (options) => {
      process.exitCode = await doctor(options);
    });
  const service = program.command('service').description('run it as a service');
  atHome(service.command('print'))
    .description('print a service file for this user')
    .addOption(
      new Option('--format <format>', 'the kind of service')
        .choices(['systemd', 'launchd'])
        .default('systemd'),
    )
    .action(printService);
}

function addByHand(program: Command): void {
  withConfig(program.command('wake'))
    .description('wake the agent for a room again')
    .requiredOption('--room <id>', 'the room')
    .action(wakeByHand);
  const queue = program.command('queue').description('the wakes that wait');
  withConfig(queue.command('list')).description('show them').action(listQueue);
  withConfig(queue.command('drop'))
    .description('give up on a wake, on those of a room, or on all')
    .argument('<id>', 'a delivery, a room, or "all"')
    .action(dropFromQueue);
  withConfig(program.command('room'))
    .description('show the state of a room')
    .argument('<id>', 'the room')
    .action(showRoom);
}

function logLevel(word: string): LogLevel {
  if (isLogLevel(word)) return word;
  throw new InvalidArgumentError('It is debug, info, warn or error.');
}

function tellUsage(command: Command): void {
  command.exitOverride().configureOutput({
    outputError: (text) =>
      note(
        text
          .replace(/^error: /, '')
          .trim()
          .replaceAll(/\s*\n\s*/g, ' '),
      ),
  });
  for (const child of command.commands) tellUsage(child);
}
