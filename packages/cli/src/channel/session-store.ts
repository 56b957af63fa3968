import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Membership } from '@parley/sdk/channels/identity';
import { putChain, takeChain } from '@parley/sdk/channels/shell/chain-file';
import {
  createNewPrivateFile,
  readPrivateFile,
  replacePrivateFile,
} from '@parley/sdk/channels/shell/private-files';
import type { ChainState } from '@parley/sdk/channels/send-chain';
import type { SessionState } from '@parley/sdk/channels/session';
import { makeClosedFolder } from '../private-folder.ts';
import { isReadProgress, isStoredSession, type ReadProgress, type StoredSession } from './stored-session.ts';

export function sessionFolder(env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return join(state, 'parley', 'channels');
}

/**
 * Joined channels, one set of private files each. Every file has one kind of writer, so that a listener and a sender of
 * the same session never undo each other's work: `.json` who we are, `.read.json` the listener, `.chain.json` senders.
 */
export class SessionStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whoever cannot keep a session must not enter a channel: it would stay there as a ghost. */
  prepare(): void {
    makeClosedFolder(this.#folder);
  }

  add(state: SessionState): SavedSession {
    this.prepare();
    const { cursor, chain, ...identity } = state;
    const saved = new SavedSession(this.#folder, sessionId(state.channelId, state.name), identity);
    saved.remove();
    saved.save();
    // A joiner says hello once more when it starts to listen; the initiator never does.
    saved.saveProgress({ cursor, greeted: state.challenge === undefined });
    if (chain) saved.putChain(chain);
    return saved;
  }

  list(): SavedSession[] {
    return this.#ids().flatMap((id) => this.#read(id) ?? []);
  }

  #ids(): string[] {
    try {
      return readdirSync(this.#folder).flatMap(
        (file) => /^([0-9a-f]+-[0-9a-f]{12})\.json$/.exec(file)?.[1] ?? [],
      );
    } catch {
      return [];
    }
  }

  #read(id: string): SavedSession | undefined {
    const identity = readJson(join(this.#folder, `${id}.json`));
    return isStoredSession(identity) ? new SavedSession(this.#folder, id, identity) : undefined;
  }
}

export class SavedSession {
  readonly #folder: string;
  readonly #id: string;
  #identity: StoredSession;
  #received = 0;

  constructor(folder: string, id: string, identity: StoredSession) {
    this.#folder = folder;
    this.#id = id;
    this.#identity = identity;
  }

  get identity(): StoredSession {
    return this.#identity;
  }

  get path(): string {
    return this.#file('.json');
  }

  save(): void {
    replacePrivateFile(this.path, JSON.stringify(this.#identity));
  }

  /** After a rejoin; the files keep their name even when we got another one. */
  saveMembership({ participantId, name }: Membership): void {
    this.#identity = { ...this.#identity, participantId, name };
    this.save();
  }

  loadMembership(): Membership | undefined {
    const stored = readJson(this.path);
    return isStoredSession(stored) ? stored : undefined;
  }

  progress(): ReadProgress {
    const stored = readJson(this.#file('.read.json'));
    return isReadProgress(stored) ? stored : { cursor: 0, greeted: false };
  }

  saveProgress(progress: ReadProgress): void {
    replacePrivateFile(this.#file('.read.json'), JSON.stringify(progress));
  }

  takeChain(): ChainState | undefined {
    return takeChain(this.#file('.chain.json'));
  }

  putChain(state: ChainState): void {
    putChain(this.#file('.chain.json'), state);
  }

  writeMessage(text: string): string {
    const path = this.#file(`.rx-${process.pid}-${++this.#received}.txt`);
    createNewPrivateFile(path, text);
    return path;
  }

  remove(): void {
    for (const file of readdirSync(this.#folder)) {
      if (file.startsWith(`${this.#id}.`)) rmSync(join(this.#folder, file), { force: true });
    }
  }

  #file(ending: string): string {
    return join(this.#folder, this.#id + ending);
  }
}

/** Names may hold anything, so only a hash of them stands in file names. */
function sessionId(channelId: string, name: string): string {
  return `${channelId.toLowerCase()}-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readPrivateFile(path));
  } catch {
    return undefined;
  }
}
