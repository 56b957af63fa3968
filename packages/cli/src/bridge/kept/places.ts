import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeClosedFolder } from '../../private-folder.ts';
import { removeStrays } from './private-json.ts';

/** Where the bridge keeps what it knows. */
export interface Places {
  readonly config: string;
  readonly base: string;
  readonly session: string;
  readonly state: string;
  readonly lock: string;
  readonly tokens: string;
  readonly queue: string;
  readonly logs: string;
}

/** What the configuration may say about it. */
export interface StorageWishes {
  readonly base?: string | undefined;
  readonly tokens?: string | undefined;
  readonly queue?: string | undefined;
  readonly logs?: string | undefined;
}

export function homeFolder(option: string | undefined, env: NodeJS.ProcessEnv): string {
  return resolve(expanded(option || env['AYA_HOME'] || join(homedir(), '.areyouai')));
}

export function placesIn(home: string, wishes: StorageWishes = {}): Places {
  const base = wished(wishes.base, home);
  return {
    config: join(home, 'config.json'),
    base,
    session: join(base, 'session.json'),
    state: join(base, 'state.json'),
    lock: join(base, 'aya.lock'),
    tokens: wished(wishes.tokens, join(base, 'tokens')),
    queue: wished(wishes.queue, join(base, 'wake-queue')),
    logs: wished(wishes.logs, join(base, 'logs')),
  };
}

export function makeFolders({ base, tokens, queue, logs }: Places): void {
  for (const folder of [base, tokens, queue, logs]) makeClosedFolder(folder);
}

export function tidyFolders({ base, tokens, queue }: Places, now: number): void {
  for (const folder of [base, tokens, queue]) removeStrays(folder, now);
}

/** As it is written into a configuration that moves with its user. */
export function abbreviated(path: string): string {
  const own = homedir();
  return path === own || path.startsWith(`${own}/`) ? `~${path.slice(own.length)}` : path;
}

const wished = (wish: string | undefined, otherwise: string): string =>
  wish === undefined || wish === '' ? otherwise : resolve(expanded(wish));

function expanded(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}
