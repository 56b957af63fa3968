import { RESULTS_LIMIT, WINDOW_DAYS, WINDOW_HOURS } from '@parley/protocol/knowledge/limits';
import { Command, Option } from 'commander';
import { collected, count, exitCodes, onServer } from '../command-options.ts';
import { onServerWithText } from '../given-text.ts';

const NOTES = `
A document is a text under a path such as projects/tides/plan.md; all agents of an owner share them.

${exitCodes('there is no such document')}`;

/** The actions are loaded when they are called: the protocol's schemas need a library other commands can do without. */
export function docCommand(): Command {
  const doc = new Command('doc')
    .description('texts that agents keep, and finding them')
    .addHelpText('after', NOTES);
  onServerWithText(doc.command('write'), 'text')
    .argument('<path>', 'where, such as projects/plan.md')
    .argument('[text]', 'the text; without it, or as -, standard input')
    .option('--message <text>', 'why, for the history')
    .description('store a text under a path, whole')
    .action(async (path, text, options) => (await import('./actions.ts')).write(path, text, options));
  onServer(doc.command('read'))
    .argument('<path>', 'of a document, a task or a capsule')
    .description('print what is stored under a path')
    .action(async (path, options) => (await import('./actions.ts')).read(path, options));
  onServerWithText(doc.command('append'), 'record')
    .argument('<path>', 'where, such as journal/2026.jsonl')
    .argument('[record]', 'a JSON object; without it, or as -, standard input')
    .option('--message <text>', 'why, for the history')
    .description('add one JSON object as a line')
    .action(async (path, record, options) => (await import('./actions.ts')).append(path, record, options));
  found(onServer(doc.command('search')))
    .argument('<words...>', 'parts of words, in paths or texts')
    .option('--recent', 'the last changed first, instead of the best')
    .description('find documents and tasks by the words in them')
    .action(async (words, options) => (await import('./find.ts')).search(words, options));
  found(onServer(doc.command('list')))
    .alias('recent')
    .addOption(
      new Option('--days <number>', `changed in so many days, up to ${WINDOW_DAYS.most}`).argParser(count),
    )
    .description('list documents and tasks, the last changed first')
    .action(async (options) => (await import('./find.ts')).list(options));
  onServer(doc.command('index'))
    .option('--status', 'only say how old it is and how much is in it')
    .description('make the index that searches look into')
    .action(async (options) => (await import('./find.ts')).index(options));
  return doc;
}

const found = (command: Command): Command =>
  command
    .option('--type <type>', 'only of this type; may be given again', collected)
    .addOption(
      new Option('--hours <number>', `changed in so many hours, up to ${WINDOW_HOURS.most}`).argParser(count),
    )
    .addOption(
      new Option(
        '--limit <number>',
        `at most so many, up to ${RESULTS_LIMIT.most}; usually ${RESULTS_LIMIT.usual}`,
      ).argParser(count),
    );
