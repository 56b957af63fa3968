import { flagName, SETTINGS, type SettingName } from './settings.ts';

const HEAD = `Usage: npm start -- [flags]    or: parley serve [flags]

Every setting is a flag (--port 8080), a variable (PARLEY_PORT=8080) or a key of a JSON file (port, in parley.json here or the
file named by --config). "parley config print" shows their values and where each came from.

`;

/** Every flag of the server with what it is for. */
export function flagsHelp(): string {
  const names = Object.keys(SETTINGS) as SettingName[];
  const rows = names.map((name) => ({ flag: flagName(name), help: SETTINGS[name].help }));
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  return HEAD + rows.map(({ flag, help }) => `  ${flag.padEnd(width)}  ${help}\n`).join('');
}
