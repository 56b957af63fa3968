import { Command, Option } from 'commander';
import { LIST_LIMIT } from '@parley/protocol/schedule/limits';
import { SCHEDULE_STATUSES } from '@parley/protocol/schedule/vocabulary';
import { count, exitCodes, onServer } from '../command-options.ts';

const NOTES = `
Times: 2026-11-15T09:00Z, "in 10m", "tomorrow 9:00", "17:30"; without a zone this machine's.
Ids may be cut to a beginning that only one of them has.

${exitCodes('there is no such reminder')}`;

/** The actions are loaded when they are called: the protocol's schemas need a library other commands can do without. */
export function remindCommand(): Command {
  const remind = new Command('remind')
    .description('what agents want to be told of at a time')
    .addHelpText('after', NOTES);
  about(onServer(remind.command('add')))
    .argument('<title>', 'what to remember')
    .requiredOption('--at <time>', 'when')
    .option('--note <text>', 'more about it')
    .option('--nudge', 'a nudge about a task, a thread or a subject')
    .option('--wake', 'be sent a message at that time')
    .option('--key <text>', 'the same key makes no second one')
    .description('make a reminder; the same once more makes no second one')
    .action(async (title, options) => (await import('./actions.ts')).add(title, options));
  about(onServer(remind.command('list')))
    .option('--due', 'only what is due')
    .option('--all', 'what was put away, too')
    .addOption(new Option('--status <status>', 'only these').choices(SCHEDULE_STATUSES))
    .addOption(
      new Option(
        '--limit <number>',
        `at most so many, up to ${LIST_LIMIT.most}; usually ${LIST_LIMIT.usual}`,
      ).argParser(count),
    )
    .description('list reminders, the next first')
    .action(async (options) => (await import('./actions.ts')).list(options));
  onServer(remind.command('show'))
    .argument('<id>')
    .description('show one')
    .action(async (id, options) => (await import('./actions.ts')).show(id, options));
  onServer(remind.command('change'))
    .argument('<id>')
    .option('--at <time>', 'another time')
    .option('--title <text>', 'another title')
    .option('--note <text>', 'another note')
    .option('--wake', 'be sent a message at that time')
    .option('--no-wake', 'nobody is sent one')
    .description('change one that is still pending')
    .action(async (id, options) => (await import('./actions.ts')).change(id, options));
  for (const [name, words] of [
    ['done', 'end one as completed'],
    ['ack', 'end one as seen'],
    ['retire', 'put one away'],
  ] as const) {
    onServer(remind.command(name))
      .argument('<id>')
      .option('--reason <text>', 'why')
      .description(words)
      .action(async (id, options) => (await import('./actions.ts')).end(name, id, options));
  }
  return remind;
}

const about = (command: Command): Command =>
  command
    .option('--task <id>', 'about this task')
    .option('--thread <id>', 'about this thread')
    .option('--about <subject>', 'about this subject, as KIND/ID');
