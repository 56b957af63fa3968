import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readPrivateFile, replacePrivateFile } from '@parley/sdk/channels/shell/private-files';
import { CliError } from '../cli-error.ts';

/** What is known of the agent on one server. */
export interface Credentials {
  agent_id: string;
  api_key: string;
  session_token?: string;
  session_expires_at?: string;
}

/** One identity at one server. */
interface Profile extends Credentials {
  server: string;
}

interface Kept {
  /** By name: the agent's id, with a number behind it where one agent has several keys. */
  profiles: Record<string, Profile>;
  /** The name of the one in use, by server. */
  current: Record<string, string>;
}

export function credentialsPath(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'parley', 'credentials.json');
}

/**
 * Keys and session tokens, in one file for this user alone, replaced as a whole. Nothing is taken out of it: a server shows
 * a key once, and this may be its only copy.
 */
export class CredentialsFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Those in use at a server. */
  of(server: string): Credentials | undefined {
    const { profiles, current } = this.#read();
    return profiles[current[server] ?? ''];
  }

  /** Of a server, by name. */
  named(server: string, name: string): Credentials | undefined {
    const found = this.#read().profiles[name];
    return found?.server === server ? found : undefined;
  }

  names(server: string): string[] {
    return Object.entries(this.#read().profiles).flatMap(([name, kept]) =>
      kept.server === server ? [name] : [],
    );
  }

  /** Uses them from now on. Those of another key are kept beside them. */
  put(server: string, credentials: Credentials): void {
    this.#write(added(this.#read(), server, credentials));
  }

  /** Fails now when the file cannot be written, not after the server has shown a key for the only time. */
  ensureWritable(): void {
    this.#write(this.#read());
  }

  #read(): Kept {
    const found = statSync(this.path, { throwIfNoEntry: false });
    if (!found) return { profiles: {}, current: {} };
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      throw new CliError(
        'unsafe_credentials',
        `parley: ${this.path} is open to other users; run: chmod 600 ${this.path}`,
      );
    }
    const kept = keptIn(readPrivateFile(this.path));
    if (!kept) {
      throw new CliError('bad_credentials', `parley: ${this.path} is not a credentials file; move it away`);
    }
    return kept;
  }

  #write(kept: Kept): void {
    const folder = dirname(this.path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    replacePrivateFile(this.path, `${JSON.stringify({ version: 2, ...kept }, null, 2)}\n`);
  }
}

function added({ profiles, current }: Kept, server: string, credentials: Credentials): Kept {
  const same = Object.entries(profiles).find(
    ([, kept]) => kept.server === server && kept.api_key === credentials.api_key,
  );
  const name = same?.[0] ?? freeName(profiles, credentials.agent_id);
  return {
    profiles: { ...profiles, [name]: { ...credentials, server } },
    current: { ...current, [server]: name },
  };
}

function freeName(profiles: Kept['profiles'], wanted: string): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    if (!Object.hasOwn(profiles, name)) return name;
  }
}

/** Undefined when it is no such file. The first version had one entry for each server. */
function keptIn(text: string): Kept | undefined {
  try {
    const stored: unknown = JSON.parse(text);
    if (!isRecord(stored)) return undefined;
    const { servers, profiles, current } = stored as Partial<Record<keyof Kept | 'servers', unknown>>;
    if (isRecord(servers)) return fromFirst(servers);
    const whole = isRecord(profiles) && Object.values(profiles).every(isProfile) && isRecord(current);
    return whole ? (stored as unknown as Kept) : undefined;
  } catch {
    return undefined;
  }
}

function fromFirst(servers: Record<string, unknown>): Kept | undefined {
  let kept: Kept = { profiles: {}, current: {} };
  for (const [server, credentials] of Object.entries(servers)) {
    if (!isCredentials(credentials)) return undefined;
    kept = added(kept, server, credentials);
  }
  return kept;
}

const isProfile = (value: unknown): boolean =>
  isCredentials(value) && 'server' in value && typeof value.server === 'string';

function isCredentials(value: unknown): value is Credentials {
  return isRecord(value) && typeof value['agent_id'] === 'string' && typeof value['api_key'] === 'string';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
