import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { StoreCopyRefused } from '../platform/storage/copy-store.ts';

/** Parameters of a URL that the programs read from variables. */
const VARIABLES: Readonly<Record<string, string>> = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  host: 'PGHOST',
  port: 'PGPORT',
  options: 'PGOPTIONS',
};

/** Where a URL leads, as variables: what stands in arguments can be read by every user of the machine. */
function connectionVariables(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const given = {
    PGHOST: hostname.replace(/^\[(.*)\]$/, '$1'),
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
  };
  const asked = [...searchParams].flatMap(([name, value]) => {
    const variable = VARIABLES[name];
    return variable === undefined ? [] : [[variable, value] as const];
  });
  return Object.fromEntries([...Object.entries(given), ...asked].filter(([, value]) => value !== ''));
}

/** Runs pg_dump or pg_restore against the database of a URL; resolves with what it printed. */
export async function runPostgresProgram(
  program: 'pg_dump' | 'pg_restore',
  args: readonly string[],
  url: string,
): Promise<string> {
  const child = spawn(program, args, {
    env: { ...process.env, ...connectionVariables(url) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => void (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(0, 2000);
  });
  const [code] = (await once(child, 'close').catch((error: unknown) => {
    throw isMissing(error) ? missing(program) : error;
  })) as [number | null];
  if (code === 0) return output;
  throw new StoreCopyRefused('program_failed', `${program} failed: ${firstLine(errors)}`);
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const missing = (program: string): StoreCopyRefused =>
  new StoreCopyRefused(
    'no_program',
    `the store is in PostgreSQL, and its ${program} is not installed here; install the client programs of PostgreSQL (postgresql-client)`,
  );

const firstLine = (text: string): string =>
  text
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.replace(/^pg_\w+: (?:error: )?/, '')
    .trim() ?? 'it said nothing';
