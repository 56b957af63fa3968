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

type Servers = Record<string, Credentials>;

export function credentialsPath(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'parley', 'credentials.json');
}

/** Keys and session tokens by server, in one file for this user alone, replaced as a whole. */
export class CredentialsFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  of(server: string): Credentials | undefined {
    return this.#read()[server];
  }

  put(server: string, credentials: Credentials): void {
    this.#write({ ...this.#read(), [server]: credentials });
  }

  /** Fails now when the file cannot be written, not after the server has shown a key for the only time. */
  ensureWritable(): void {
    this.#write(this.#read());
  }

  #read(): Servers {
    const found = statSync(this.path, { throwIfNoEntry: false });
    if (!found) return {};
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      throw new CliError(
        'unsafe_credentials',
        `parley: ${this.path} is open to other users; run: chmod 600 ${this.path}`,
      );
    }
    const servers = serversOf(readPrivateFile(this.path));
    if (!servers) {
      throw new CliError('bad_credentials', `parley: ${this.path} is not a credentials file; move it away`);
    }
    return servers;
  }

  #write(servers: Servers): void {
    const folder = dirname(this.path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    replacePrivateFile(this.path, `${JSON.stringify({ version: 1, servers }, null, 2)}\n`);
  }
}

function serversOf(text: string): Servers | undefined {
  try {
    const stored: unknown = JSON.parse(text);
    const servers = isRecord(stored) ? stored['servers'] : undefined;
    return isRecord(servers) && Object.values(servers).every(isCredentials)
      ? (servers as Servers)
      : undefined;
  } catch {
    return undefined;
  }
}

function isCredentials(value: unknown): value is Credentials {
  return isRecord(value) && typeof value['agent_id'] === 'string' && typeof value['api_key'] === 'string';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
