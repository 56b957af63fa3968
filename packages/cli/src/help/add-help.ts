import type { Command } from 'commander';
import { spelled } from '../usage.ts';
import { EXAMPLES } from './examples.ts';

/** Ends the help of every command with its examples, all of which are run by a test, and its exit codes. */
export function addHelp(command: Command): void {
  for (const child of command.commands) addHelp(child);
  const examples = examplesOf(command);
  const shown =
    examples.length === 0 ? '' : `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}\n`;
  const isGroup = command.commands.length > 0;
  command.addHelpText('after', isGroup ? shown.trimEnd() : `${shown}\n${exitCodesOf(command)}`);
}

/** A group shows what its first commands do. */
function examplesOf(command: Command): readonly string[] {
  const own = EXAMPLES[spelled(command).replace(/^parley ?/, '')];
  if (own !== undefined || command.parent === null) return own ?? [];
  return command.commands.flatMap((child) => examplesOf(child).slice(0, 1)).slice(0, 2);
}

const LISTEN =
  '0 a message was received, 2 the timeout passed, 3 the channel is gone, 130 Ctrl+C, 1 anything else';

function exitCodesOf(command: Command): string {
  const has = (...flags: string[]): boolean => command.options.some(({ long }) => flags.includes(long ?? ''));
  if (spelled(command) === 'parley channel listen') return `Exit codes: ${LISTEN}`;
  const onServer = has('--server', '--channel');
  const ofProfile = command.parent?.name() === 'profile' && command.name() !== 'list';
  const codes = [
    '0 done',
    '1 failed',
    '2 wrong use or configuration',
    ...(onServer || ofProfile ? ['3 not found or gone'] : []),
    ...(onServer ? ['4 not allowed or not logged in', '5 refused by a rule'] : []),
    ...(has('--wait', '--email') ? ['6 timed out waiting'] : []),
    ...(onServer ? ['7 server unreachable'] : []),
    ...(has('--follow', '--once') || /^(?:run|watch|chat)$/.test(command.name()) ? ['130 Ctrl+C'] : []),
  ];
  return `Exit codes: ${codes.join(', ')}`;
}
