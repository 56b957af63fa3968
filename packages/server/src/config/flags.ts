import { ConfigError } from './load.ts';

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
