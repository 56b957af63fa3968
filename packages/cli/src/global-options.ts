import { type Command, Option } from 'commander';

/** What may stand behind any command, or before it. */
export const GLOBAL_FLAGS = ['--json', '--profile', '--no-color', '--debug', '--help', '--version'];

/** What every command takes besides its own options; `parley --help` tells of them once. */
export const GLOBAL_HELP = `
Everywhere:
  --json            print the server's objects, one in each line; failures too
  --profile <name>  as another identity that is kept: "parley profile list"
  --no-color        without colours, as with NO_COLOR=1
  --debug           with a stack trace when something fails

A terminal gets tables and relative times, a pipe the same rows with tabs between the cells and whole times.

Exit codes: 0 done, 1 failed, 2 wrong use or configuration, 3 not found or gone, 4 not allowed or not logged in,
5 refused by a rule (turn, state, policy, loop guard), 6 timed out waiting, 7 server unreachable, 130 Ctrl+C`;

export function addGlobalOptions(command: Command): void {
  for (const child of command.commands) addGlobalOptions(child);
  // A group would take them away from its commands.
  if (command.commands.length > 0) return;
  for (const option of globalOptions()) {
    if (!command.options.some(({ long }) => long === option.long)) command.addOption(option);
  }
}

const globalOptions = (): Option[] => [
  new Option('--profile <name>', 'as another identity that is kept').hideHelp(),
  new Option('--no-color', 'without colours').hideHelp(),
  new Option('--debug', 'with a stack trace when something fails').hideHelp(),
];

/** Whether a command line has this flag; what stands behind `--` belongs to another program. */
export function hasFlag(argv: readonly string[], flag: string): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes(flag);
}

/** `parley --profile night inbox` is `parley inbox --profile night`, and `parley` alone is `parley status`. */
export function globalFlagsLast(argv: readonly string[]): string[] {
  const flags: string[] = [];
  const rest = [...argv];
  while (/^--(?:profile(?:=.*)?|no-color|debug|json)$/.test(rest[0] ?? '')) {
    const flag = rest.shift() ?? '';
    flags.push(flag, ...(flag === '--profile' ? rest.splice(0, 1) : []));
  }
  if (rest.length === 0) rest.push('status');
  const end = rest.indexOf('--');
  return end === -1 ? [...rest, ...flags] : [...rest.slice(0, end), ...flags, ...rest.slice(end)];
}
