import { existsSync, statSync } from 'node:fs';
import { whoAmI } from '@parley/protocol/identity/routes';
import { type Credentials, CredentialsFile, credentialsPath } from '../agent/credentials-file.ts';
import { callRoute, serverUrl } from '../agent/server-call.ts';
import { CliError, why } from '../cli-error.ts';

/** One thing that was looked at: well, or what is wrong and how to mend it. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'broken';
  readonly detail: string;
  readonly fix?: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail });
export const broken = (check: string, detail: string, fix: string): Finding => ({
  check,
  state: 'broken',
  detail,
  fix,
});
export const warning = (check: string, detail: string, fix: string): Finding => ({
  check,
  state: 'warning',
  detail,
  fix,
});

const PATIENCE_MS = 10_000;
const LEAST_NODE = [20, 19] as const;
/** Signatures and lapses are counted in minutes. */
const CLOCK_TOLERANCE_MS = 30_000;

export function nodeFinding(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fine = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  return fine
    ? ok('node', version)
    : broken('node', `${version} is too old`, `install Node ${LEAST_NODE.join('.')} or later`);
}

export interface Health {
  readonly version: string;
  readonly time: string;
}

/** Whether a Parley server answers there, and its clock agrees with ours. */
export async function serverFindings(given: string, ours: string): Promise<Finding[]> {
  let server: string;
  try {
    server = serverUrl(given);
  } catch {
    return [
      broken(
        'server',
        `${JSON.stringify(given)} is no address`,
        'set PARLEY_URL or --server to http(s)://host:port',
      ),
    ];
  }
  const asked = await fetch(`${server}/health`, {
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  if (asked instanceof Error) {
    const fix = 'start it with "parley serve", or name another with --server or PARLEY_URL';
    return [broken('server', `no answer from ${server}${why(asked.cause)}`, fix)];
  }
  const health = (await asked.json().catch(() => undefined)) as Partial<Health> | undefined;
  if (typeof health?.version !== 'string' || typeof health.time !== 'string') {
    return [
      broken('server', `what answers at ${server} is no Parley server`, 'check the address and the port'),
    ];
  }
  if (!asked.ok)
    return [broken('server', `${server} says ${asked.status}: it is not well`, 'look at its log')];
  const version =
    health.version === ours
      ? ok('server', `${server}, version ${health.version}`)
      : warning(
          'server',
          `${server} has version ${health.version}, this program ${ours}`,
          `curl -fsS ${server}/install.sh | sh`,
        );
  const skew = Math.abs(Date.now() - Date.parse(health.time));
  const clock =
    skew <= CLOCK_TOLERANCE_MS
      ? ok('clock', `agrees with the server's to ${Math.round(skew / 1000)} s`)
      : broken(
          'clock',
          `is ${Math.round(skew / 1000)} s away from the server's`,
          'let NTP set the clock of this machine or the server',
        );
  return [version, clock];
}

export interface KeyState {
  readonly findings: Finding[];
  /** A token that is good. */
  readonly token?: string;
}

/** Whether there is a key for the server, in a file for us alone, and the server knows it. */
export async function keyFindings(server: string, profile: string | undefined): Promise<KeyState> {
  const path = credentialsPath(process.env);
  if (!existsSync(path)) {
    return {
      findings: [broken('key', 'nobody is logged in here', 'parley login, or parley agent register NAME')],
    };
  }
  const mode = statSync(path).mode & 0o077;
  if (process.platform !== 'win32' && mode !== 0) {
    return { findings: [broken('credentials file', `${path} is open to other users`, `chmod 600 ${path}`)] };
  }
  let known: Credentials | undefined;
  try {
    known = new CredentialsFile(path).of(server, profile);
  } catch {
    return {
      findings: [
        broken('credentials file', `${path} cannot be read as one`, 'move it away and log in again'),
      ],
    };
  }
  const file = ok('credentials file', path);
  if (!known) {
    const fix = `parley login --server ${server}, or parley profile list`;
    return { findings: [file, broken('key', `there is none for ${server}`, fix)] };
  }
  return { ...(await knownKey(server, known, file)) };
}

async function knownKey(server: string, known: Credentials, file: Finding): Promise<KeyState> {
  const tokens = [known.session_token, known.api_key].filter((token) => token !== undefined);
  for (const [at, token] of tokens.entries()) {
    try {
      const who = (await callRoute(server, whoAmI, { token })) as {
        agent: { address: string } | null;
        owner: { slug: string };
      };
      const session =
        at > 0 ? [warning('session', 'is over; the key is used instead', 'parley agent login')] : [];
      return { token, findings: [file, ...session, ok('key', who.agent?.address ?? who.owner.slug)] };
    } catch (error) {
      const status = error instanceof CliError ? error.details['status'] : undefined;
      if (status === 401 && at < tokens.length - 1) continue;
      const refused = status === 401 || status === 403;
      const detail = refused
        ? 'the server does not know it any more'
        : 'the server could not be asked about it';
      const fix = refused
        ? "printf '%s' KEY | parley login --stdin"
        : 'try again, and look at the log of the server';
      return { findings: [file, broken('key', detail, fix)] };
    }
  }
  return { findings: [file, broken('key', 'there is none', 'parley login')] };
}

/** Whether a stream stays open through whatever stands between: proxies like to hold them back. */
export async function streamFinding(server: string, token: string): Promise<Finding> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(`${server}/v1/agent/stream`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
      redirect: 'error',
      signal: stop.signal,
    });
    if (answer.status !== 200)
      return broken('stream', `refused with ${answer.status}`, 'log in as an agent: parley profile list');
    if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) {
      return broken(
        'stream',
        'was answered with something else',
        'a proxy in between must pass /v1/agent/stream on',
      );
    }
    const first = await answer.body?.getReader().read();
    return first?.value === undefined
      ? broken('stream', 'ended before anything came', 'a proxy in between must not buffer')
      : ok('stream', 'opens and speaks');
  } catch {
    return broken('stream', 'opened, but nothing came', 'a proxy in between must not buffer event streams');
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}
