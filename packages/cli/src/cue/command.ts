import {
  ATTACHMENTS,
  CATCH_UPS,
  CUE_STATUSES,
  EXECUTION_STATUSES,
  OVERLAPS,
  VERIFICATION_MODES,
} from '@parley/protocol/delivery/vocabulary';
import { Command, Option } from 'commander';
import { count, exitCodes, onServer as onAnyServer } from '../command-options.ts';

const NOTES = `
A cue is named by its id, by the beginning of it, or by its name. Times: 2026-11-15T09:00Z, "in 10m", "tomorrow 9:00", 18:30;
without an offset they are meant in --zone, by default the zone of this machine.
The key is the one "parley agent" keeps for the server, or one from standard input with --stdin.

${exitCodes('there is no such cue or execution')}`;

/** The actions are loaded when they are called: the protocol's schemas need a library other commands can do without. */
export function cueCommand(): Command {
  const cue = new Command('cue').description('what should happen and when').addHelpText('after', NOTES);
  onServer(cue.command('create'))
    .argument('<name>', 'what it is called; each name once')
    .description('make a cue')
    .addOption(new Option('--cron <fields>', 'again and again, such as "0 9 * * 1-5"').conflicts('at'))
    .option('--at <time>', 'once')
    .option('--zone <name>', 'the time zone it is meant in, such as Europe/Lisbon')
    .option('--to <agent>', 'wake this agent: slug, slug@owner or id')
    .option('--worker', 'wait for a worker to claim it')
    .option('--url <url>', 'post it there, signed')
    .option('--message <text>', 'what the agent is told')
    .option('--task <name>', 'what workers claim it by')
    .option('--payload <json>', 'all it carries, as a JSON object')
    .option('--description <text>', 'what it is for')
    .addOption(
      new Option('--catch-up <rule>', 'for times that passed while nobody was there').choices(CATCH_UPS),
    )
    .addOption(new Option('--overlap <rule>', 'when the run before is not over').choices(OVERLAPS))
    .addOption(new Option('--jitter <seconds>', 'up to so many later, by chance').argParser(count))
    .addOption(new Option('--attach <what>', "carry the agent's startup view").choices(ATTACHMENTS))
    .addOption(new Option('--verify <mode>', 'what proves its success').choices(VERIFICATION_MODES))
    .addOption(new Option('--deadline <seconds>', 'by when the outcome must be there').argParser(count))
    .action(async (name, options) => (await import('./actions.ts')).create(name, options));
  onServer(cue.command('list'))
    .description('list cues, newest first')
    .addOption(new Option('--status <status>', 'only those').choices(CUE_STATUSES))
    .addOption(new Option('--limit <number>', 'at most so many, up to 100').argParser(count))
    .action(async (options) => (await import('./actions.ts')).list(options));
  onServer(cue.command('show'))
    .argument('<cue>')
    .description('show a cue')
    .action(async (said, options) => (await import('./actions.ts')).showOne(said, options));
  onServer(cue.command('next'))
    .argument('<cue>')
    .description('show when it runs next, in its own zone')
    .addOption(new Option('--count <number>', 'so many times').argParser(count))
    .action(async (said, options) => (await import('./actions.ts')).next(said, options));
  onServer(cue.command('fire'))
    .argument('<cue>')
    .description('fire it now, or at a time')
    .option('--payload <json>', 'laid over what it carries')
    .option('--replace', 'instead of what it carries')
    .option('--at <time>', 'not yet')
    .option('--key <text>', 'fire only once for this key')
    .action(async (said, options) => (await import('./actions.ts')).fire(said, options));
  onServer(cue.command('pause'))
    .argument('<cue>')
    .description('let it rest')
    .action(async (said, options) => (await import('./actions.ts')).pause(said, options));
  onServer(cue.command('resume'))
    .argument('<cue>')
    .description('let it go on')
    .action(async (said, options) => (await import('./actions.ts')).resume(said, options));
  onServer(cue.command('backfill'))
    .argument('<cue>')
    .description('run it for times that have passed without a run')
    .requiredOption('--from <time>', 'the first')
    .requiredOption('--to <time>', 'the last')
    .option('--dry-run', 'only say which')
    .action(async (said, options) => (await import('./actions.ts')).backfill(said, options));
  onServer(cue.command('remove'))
    .argument('<cue...>')
    .description('delete cues, with their executions')
    .action(async (said, options) => (await import('./actions.ts')).remove(said, options));
  return cue;
}

export function executionsCommand(): Command {
  return onServer(new Command('executions'))
    .description('what was started lately, and what came of it')
    .option('--cue <cue>', 'of this cue')
    .addOption(new Option('--status <status>', 'only those').choices(EXECUTION_STATUSES))
    .addOption(new Option('--limit <number>', 'at most so many, up to 100').argParser(count))
    .option('--follow', 'go on with what comes, until Ctrl+C')
    .action(async (options) => (await import('./execution-actions.ts')).executions(options));
}

export function executionCommand(): Command {
  const execution = new Command('execution').description('one execution').addHelpText('after', NOTES);
  onServer(execution.command('show'))
    .argument('<execution>')
    .description('show how it was routed and what came of it')
    .action(async (said, options) => (await import('./execution-actions.ts')).showOne(said, options));
  onServer(execution.command('replay'))
    .argument('<execution>')
    .description('run it again')
    .action(async (said, options) => (await import('./execution-actions.ts')).replay(said, options));
  return execution;
}

const onServer = (command: Command): Command =>
  onAnyServer(command, "print the server's objects, one in each line");
