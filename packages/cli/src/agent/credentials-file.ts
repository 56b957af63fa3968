import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isObject, parsedObject } from '@parley/protocol/json';
import { readPrivateFile, replacePrivateFile } from '@parley/sdk/channels/shell/private-files';
import { CliError } from '../cli-error.ts';
import { makeClosedFolder } from '../private-folder.ts';
import { whileHeld } from './while-held.ts';

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
  /** The name of the one in use where no server is named. */
  use?: string | undefined;
}

/** What may be shown of a profile: everything but its secrets. */
export interface ShownProfile {
  readonly name: string;
  readonly server: string;
  readonly agent_id: string;
  readonly in_use: boolean;
}

export function credentialsPath(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'parley', 'credentials.json');
}

/**
 * Keys and session tokens, in one file for this user alone, replaced as a whole. Nothing is taken out of it unasked: a server
 * shows a key once, and this may be its only copy.
 */
export class CredentialsFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Those in use at a server, or of a profile there. */
  of(server: string, profile?: string): Credentials | undefined {
    if (profile !== undefined) return this.named(server, profile);
    return this.profile(this.nameOf(server) ?? '');
  }

  /** The name of the one in use at a server. */
  nameOf(server: string): string | undefined {
    return this.#read().current[server];
  }

  /** By its name, or by the agent's id. */
  profile(name: string): Profile | undefined {
    const { profiles } = this.#read();
    return profiles[nameIn(profiles, name) ?? ''];
  }

  /** What the profile that somebody means is called. */
  called(name: string): string | undefined {
    return nameIn(this.#read().profiles, name);
  }

  /** The one that is meant when nothing is said. */
  inUse(): Profile | undefined {
    return this.profile(this.#read().use ?? '');
  }

  all(): ShownProfile[] {
    const { profiles, current, use } = this.#read();
    return Object.entries(profiles).map(([name, { server, agent_id }]) => {
      const inUse = use === undefined ? current[server] === name : use === name;
      return { name, server, agent_id, in_use: inUse };
    });
  }

  use(name: string): void {
    this.#change(({ profiles, current }) => {
      const server = profiles[name]?.server ?? '';
      return { profiles, current: { ...current, [server]: name }, use: name };
    });
  }

  /** Together with its key, for whoever asks for that. */
  remove(name: string): void {
    this.#change(({ profiles, current, use }) => ({
      profiles: without(profiles, (key) => key === name),
      current: without(current, (_server, value) => value === name),
      ...(use !== undefined && use !== name && { use }),
    }));
  }

  /** Of a server, by name. */
  named(server: string, name: string): Credentials | undefined {
    const found = this.profile(name);
    return found?.server === server ? found : undefined;
  }

  names(server: string): string[] {
    return Object.entries(this.#read().profiles).flatMap(([name, kept]) =>
      kept.server === server ? [name] : [],
    );
  }

  /** Uses them from now on. Those of another key are kept beside them. */
  put(server: string, credentials: Credentials, name?: string): string {
    const { current } = this.#change((kept) => added(kept, server, credentials, name));
    return current[server] ?? '';
  }

  /** Fails now when the file cannot be written, not after the server has shown a key for the only time. */
  ensureWritable(): void {
    this.#change((kept) => kept);
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

  /** One after the other: of two commands that keep a key at the same time, neither may lose the other's. */
  #change(changed: (kept: Kept) => Kept): Kept {
    const folder = dirname(this.path);
    makeClosedFolder(folder);
    return whileHeld(`${this.path}.lock`, () => {
      const kept = changed(this.#read());
      replacePrivateFile(this.path, `${JSON.stringify({ version: 2, ...kept }, null, 2)}\n`);
      return kept;
    });
  }
}

function added(
  { profiles, current, use }: Kept,
  server: string,
  credentials: Credentials,
  wanted?: string,
): Kept {
  const same = Object.entries(profiles).find(
    ([, kept]) => kept.server === server && kept.api_key === credentials.api_key,
  );
  const name = same?.[0] ?? freeName(profiles, wanted ?? credentials.agent_id);
  return {
    profiles: { ...profiles, [name]: { ...credentials, server } },
    current: { ...current, [server]: name },
    ...(use !== undefined && { use: name }),
  };
}

function nameIn(profiles: Kept['profiles'], name: string): string | undefined {
  if (Object.hasOwn(profiles, name)) return name;
  return Object.keys(profiles).find((each) => profiles[each]?.agent_id === name);
}

function freeName(profiles: Kept['profiles'], wanted: string): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    if (!Object.hasOwn(profiles, name)) return name;
  }
}

const without = <Value>(
  record: Record<string, Value>,
  drop: (key: string, value: Value) => boolean,
): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).filter(([key, value]) => !drop(key, value)));

/** Undefined when it is no such file. The first version had one entry for each server. */
function keptIn(text: string): Kept | undefined {
  const stored = parsedObject(text);
  if (!stored) return undefined;
  const { servers, profiles, current } = stored as Partial<Record<keyof Kept | 'servers', unknown>>;
  if (isObject(servers)) return fromFirst(servers);
  const whole = isObject(profiles) && Object.values(profiles).every(isProfile) && isObject(current);
  return whole ? (stored as unknown as Kept) : undefined;
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
  return isObject(value) && typeof value['agent_id'] === 'string' && typeof value['api_key'] === 'string';
}
