import { Argument, Command, Option } from 'commander';
import { HISTORY_LIMIT, LIST_LIMIT, SEARCH_LIMIT } from '@parley/protocol/continuity/limits';
import { LIFECYCLES, LIST_SORTS, SUBJECT_KINDS } from '@parley/protocol/continuity/vocabulary';
import { collected, count, exitCodes, onServer } from '../command-options.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { addRetrieving } from './retrieve-commands.ts';
import { addWriting } from './write-commands.ts';

const SUBJECTS = `
A subject is KIND ID or KIND/ID; kinds are ${SUBJECT_KINDS.join(', ')}.`;

const NOTES = `${SUBJECTS}
The key is the one "parley agent" keeps for the server, or one from standard input with --stdin; never an argument,
which other users of this machine can see. Colours appear only on a terminal, and never when NO_COLOR is set.
export and import work on the server's own data, with its settings, and need no key.

${exitCodes('there is no such capsule, revision or archive')}`;

/** The actions are loaded when they are called: the protocol's schemas need a library other commands can do without. */
export function memoryCommand(): Command {
  const memory = new Command('memory')
    .description('what agents keep to carry on from after a reset')
    .addHelpText('after', NOTES);
  onServer(memory.command('show'))
    .addArgument(subject())
    .description('show a capsule and how far it can be trusted')
    .option('--startup', 'only what an agent needs first after a reset')
    .option('--no-fallback', 'fail when the active capsule is missing, instead of showing the last snapshot')
    .addOption(
      new Option('--revision <number>', 'as it was then, by its number in the history').argParser(count),
    )
    .addOption(
      new Option('--section <name>', 'only this section, such as open_loops; may be given again')
        .argParser(collected)
        .conflicts(['json', 'startup']),
    )
    .addHelpText('after', SUBJECTS)
    .action(async (words, options) => (await import('./show.ts')).show(words, options));
  onServer(memory.command('list'))
    .description('list capsules')
    .addOption(kind())
    .addOption(new Option('--lifecycle <state>', 'threads and tasks in this state').choices(LIFECYCLES))
    .option('--label <text>', 'with exactly this label')
    .option('--keyword <word>', 'with this keyword')
    .option('--scope <anchor>', 'with this scope anchor, such as user:stef')
    .option('--anchor-kind <kind>', 'with an identity anchor of this kind')
    .option('--anchor-value <value>', 'with an identity anchor of this value')
    .option('--fallback', 'the snapshots, too')
    .option('--archived', 'the archives, too')
    .option('--cold', 'what was packed away, too')
    .addOption(
      new Option('--sort <order>', 'default: by name; salience: what matters first').choices(LIST_SORTS),
    )
    .addOption(limit(LIST_LIMIT))
    .option('--cursor <text>', 'go on where the page before ended')
    .action(async (options) => (await import('./list.ts')).list(options));
  onServer(memory.command('history'))
    .addArgument(subject())
    .description('show what was written for a subject, newest first')
    .addOption(limit(HISTORY_LIMIT))
    .addOption(new Option('--before <number>', 'only revisions before this one').argParser(count))
    .addHelpText('after', SUBJECTS)
    .action(async (words, options) => (await import('./history.ts')).history(words, options));
  onServer(memory.command('diff'))
    .addArgument(new Argument('<subject...>', 'the subject, then FROM and TO'))
    .description('show what differs between two states of a capsule')
    .addHelpText(
      'after',
      `${SUBJECTS}
FROM and TO are revisions of the history, active, fallback, or the path of an archive. Without them the last two revisions are
compared; without TO, FROM with the last one.`,
    )
    .action(async (words, options) => (await import('./diff.ts')).diff(words, options));
  onServer(memory.command('search'))
    .argument('<words...>', 'all of them must stand in the capsule')
    .description('find capsules by the words in them')
    .addOption(kind())
    .option('--archived', 'in archives and what was packed away, too')
    .addOption(limit(SEARCH_LIMIT))
    .action(async (words, options) => (await import('./search.ts')).search(words, options));
  addWriting(memory);
  addRetrieving(memory);
  return memory.addCommand(exportCommand()).addCommand(importCommand());
}

const subject = (): Argument => new Argument('<subject...>', 'KIND ID or KIND/ID');
const kind = (): Option => new Option('--kind <kind>', 'of this kind').choices(SUBJECT_KINDS);
const limit = ({ most, usual }: { most: number; usual: number }): Option =>
  new Option('--limit <number>', `at most so many, up to ${most}; usually ${usual}`).argParser(count);
