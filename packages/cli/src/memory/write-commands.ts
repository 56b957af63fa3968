import { Argument, type Command, Option } from 'commander';
import { collected, onServer } from '../command-options.ts';
import { onServerWithText } from '../given-text.ts';

const subject = (): Argument => new Argument('<subject...>', 'KIND ID or KIND/ID');
const dryRun = (): Option => new Option('--dry-run', 'say what would change, and change nothing');

/** The commands that change a capsule. */
export function addWriting(memory: Command): void {
  onServerWithText(memory.command('write'), 'capsule')
    .addArgument(subject())
    .option('--merge', 'leave what is not named as it is stored')
    .option('--key <text>', 'names this write in the history')
    .option('--message <text>', 'why, for the history')
    .addOption(dryRun())
    .description('write a capsule, given as JSON')
    .addHelpText(
      'after',
      `
The capsule is read from standard input or --file. Subject, times and who writes are filled in where they are missing.`,
    )
    .action(async (words, options) => (await import('./write.ts')).write(words, options));
  onServerWithText(memory.command('patch'), 'list of changes')
    .addArgument(subject())
    .option('--append <name=text>', 'add to a list, such as open_loops; may be given again', collected)
    .option('--remove <name=text>', 'take from a list; may be given again', collected)
    .option('--message <text>', 'why, for the history')
    .addOption(dryRun())
    .description('change lists of a capsule, item by item')
    .addHelpText(
      'after',
      `
Without --append and --remove the operations of POST /v1/continuity/patch are read as JSON from standard input or --file.`,
    )
    .action(async (words, options) => (await import('./write.ts')).patch(words, options));
  onServer(memory.command('restore'))
    .addArgument(subject())
    .requiredOption('--from <state>', 'a revision of the history, fallback, or the path of an archive')
    .requiredOption('--reason <text>', 'why, in 3 to 240 characters')
    .description('write an older state of a capsule anew')
    .action(async (words, options) => (await import('./write.ts')).restore(words, options));
}
