import type { Command } from 'commander';
import { harmlessLine } from '../harmless.ts';
import { printLine } from '../output.ts';

/** Prints what may stand in place of the last word, one in each line. A shell waits for it, so it never fails and seldom asks. */
export async function complete(program: Command, words: readonly string[], server: string): Promise<void> {
  const last = words.at(-1) ?? '';
  const { command, given } = reached(program, words.slice(0, -1));
  const found = last.startsWith('-') ? flagsOf(command) : await valuesFor(command, given, server);
  for (const each of found) if (each.startsWith(last)) printLine(harmlessLine(each));
}

/** The command that the words before lead to, and how many of its arguments are there already. */
function reached(program: Command, words: readonly string[]): { command: Command; given: number } {
  let command = program;
  let given = 0;
  let value = false;
  for (const word of words) {
    if (value) {
      value = false;
      continue;
    }
    const option = command.options.find(({ long, short }) => word === long || word === short);
    if (option) value = option.required;
    if (word.startsWith('-')) continue;
    const child = command.commands.find((each) => each.name() === word);
    if (child) [command, given] = [child, 0];
    else given += 1;
  }
  return { command, given };
}

const flagsOf = (command: Command): string[] => [
  ...command.options.flatMap(({ long }) => long ?? []),
  '--help',
];

async function valuesFor(command: Command, given: number, server: string): Promise<readonly string[]> {
  if (command.commands.length > 0) {
    return command.commands.map((each) => each.name()).filter((name) => !name.startsWith('__'));
  }
  const expected = command.registeredArguments;
  const argument = expected[given] ?? (expected.at(-1)?.variadic ? expected.at(-1) : undefined);
  if (!argument) return flagsOf(command);
  if (argument.argChoices) return argument.argChoices;
  return await (await import('./names.ts')).namesFor(argument.name(), server).catch(() => []);
}
