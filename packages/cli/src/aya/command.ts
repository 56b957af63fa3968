import { Argument, Command } from 'commander';

const COMMANDS = ['init', 'login', 'serve', 'status', 'doctor', 'logout', 'service', 'wake', 'queue', 'room'];

const HELP = `
"parley aya init --help" and so on show the flags of each. A link to this program that is called aya is aya:
ln -s parley ~/.local/bin/aya

Besides: 3 not logged in or key refused, 4 the stream cannot be opened (serve --once), 5 the agent was not woken (wake).`;

/** For help and completion: the words behind it are those of `aya`, which is run in its place. */
export function ayaCommand(): Command {
  return new Command('aya')
    .description('wake a runtime that has a hook when it is its turn in a room')
    .addArgument(new Argument('<command>', 'what aya is to do').choices(COMMANDS))
    .argument('[words...]', 'flags and arguments of that')
    .allowUnknownOption()
    .addHelpText('after', HELP)
    .action(async (_command, _words, _options, { args }: Command) => {
      process.exitCode = await runAya(args);
    });
}

/** Whether these words are for `aya`, and none of ours. */
export const isForAya = ([program, first]: readonly string[]): boolean =>
  program === 'aya' && first !== '--help' && first !== '-h';

export const runAya = async (words: readonly string[]): Promise<number> =>
  await (await import('./main.ts')).run(words);
