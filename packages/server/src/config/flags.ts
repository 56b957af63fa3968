import { ConfigError } from './load.ts';
import { flagName, SETTING_NAMES, SETTINGS } from './settings.ts';

/** `--port 8080`, `--port=8080` and the bare `--rate-limits` (true) as an object; the loader checks names and values. */
export function parseFlags(argv: readonly string[]): Record<string, string | true> {
  const flags: Record<string, string | true> = {};
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    const match = /^--([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(word);
    if (!match?.[1]) throw new ConfigError(`unexpected argument ${JSON.stringify(word)}`);
    const next = argv[at + 1];
    const given = match[2] ?? (next !== undefined && !next.startsWith('--') ? argv[++at] : undefined);
    flags[match[1]] = given ?? true;
  }
  return flags;
}

const HEAD = `Usage: npm start -- [flags]    or: parley serve [flags]

Every setting is a flag (--port 8080), a variable (PARLEY_PORT=8080) or a key of a JSON file (port, in parley.json here or the
file named by --config). "parley config print" shows their values and where each came from.

`;

/** Every flag of the server with what it is for. */
export function flagsHelp(): string {
  const rows = SETTING_NAMES.map((name) => ({ flag: flagName(name), help: SETTINGS[name].help }));
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  return HEAD + rows.map(({ flag, help }) => `  ${flag.padEnd(width)}  ${help}\n`).join('');
}
