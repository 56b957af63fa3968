import { TASKS_LIMIT } from '@parley/protocol/knowledge/limits';
import { TASK_STATUSES } from '@parley/protocol/knowledge/vocabulary';
import { Command, Option } from 'commander';
import { collected, count, exitCodes, onServer } from '../command-options.ts';

const NOTES = `
Ids are your own words, and may be cut to a beginning that only one of them has.

${exitCodes('there is no such task')}`;

/** The actions are loaded when they are called: the protocol's schemas need a library other commands can do without. */
export function taskCommand(): Command {
  const task = new Command('task').description('what there is to do').addHelpText('after', NOTES);
  fields(onServer(task.command('add')))
    .argument('<id>', 'a name for it')
    .argument('<title>', 'what to do')
    .description('make a task')
    .action(async (id, title, options) => (await import('./actions.ts')).add(id, title, options));
  onServer(task.command('list'))
    .addOption(new Option('--status <status>', 'only these').choices(TASK_STATUSES))
    .option('--owner <peer>', 'of this peer')
    .option('--with <peer>', 'that this peer helps with')
    .option('--thread <id>', 'of this thread')
    .addOption(
      new Option(
        '--limit <number>',
        `at most so many, up to ${TASKS_LIMIT.most}; usually ${TASKS_LIMIT.usual}`,
      ).argParser(count),
    )
    .description('list tasks, the last changed first')
    .action(async (options) => (await import('./actions.ts')).list(options));
  onServer(task.command('show'))
    .argument('<id>')
    .description('show one')
    .action(async (id, options) => (await import('./actions.ts')).show(id, options));
  fields(onServer(task.command('change')))
    .argument('<id>')
    .option('--title <text>', 'another title')
    .addOption(new Option('--status <status>', 'another status').choices(TASK_STATUSES))
    .description('change one; a list that is named is replaced')
    .action(async (id, options) => (await import('./actions.ts')).change(id, options));
  for (const [name, status, words] of [
    ['start', 'in_progress', 'begin one'],
    ['done', 'done', 'end one, for good'],
  ] as const) {
    onServer(task.command(name))
      .argument('<id>')
      .description(words)
      .action(async (id, options) => (await import('./actions.ts')).move(id, status, options));
  }
  return task;
}

const fields = (command: Command): Command =>
  command
    .option('--description <text>', 'more about it')
    .option('--owner <peer>', 'whose it is; of a new one yours')
    .option('--with <peer>', 'who helps; may be given again', collected)
    .option('--thread <id>', 'belongs to this thread')
    .option('--blocked-by <task>', 'waits for this task; may be given again', collected)
    .option('--due <text>', 'when it should be done')
    .option('--message <text>', 'why, for the history');
