import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { codeOf } from '../error-words.ts';

/** Who holds a lock. A pid alone is not enough: after a crash another program may have been given the same one. */
export interface LockHolder {
  readonly pid: number;
  /** When the process began, as the system counts it; null where the system does not say. */
  readonly started: string | null;
  /** Tells this taking of the lock from every other one. */
  readonly nonce: string;
}

export type LockResult =
  | { readonly taken: true; readonly nonce: string; release(): void }
  | { readonly taken: false; holder: LockHolder };

/**
 * Takes the lock at `path`, or says who has it.
 *
 * The file appears complete or not at all (written aside, then hard-linked, which fails when the name exists). A stale
 * lock may be replaced only by the holder of a second lock named after the stale one's nonce, and only while the stale
 * one is still there: of any number of starters that saw it, one wins. That second lock is taken by the same rule, so a
 * crash in the middle leaves nothing that could block for ever.
 */
export function takeLock(path: string): LockResult {
  const { own, draft } = drafted(path);
  try {
    for (;;) {
      if (linked(draft, path)) return held(path, own);
      const holder = readHolder(path);
      if (!holder) continue;
      if (isAlive(holder)) return { taken: false, holder };
      const takeover = takeLock(`${path}.${holder.nonce}`);
      if (!takeover.taken) return takeover;
      try {
        if (readHolder(path)?.nonce !== holder.nonce) continue;
        renameSync(draft, path);
        return held(path, own);
      } finally {
        takeover.release();
      }
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Writes who has a folder whose lock is held in another way. */
export function noteHolder(path: string): Extract<LockResult, { taken: true }> {
  const { own, draft } = drafted(path);
  renameSync(draft, path);
  return held(path, own);
}

/** That this process has it, in a file beside it. */
function drafted(path: string): { own: LockHolder; draft: string } {
  const own: LockHolder = { pid: process.pid, started: startOf(process.pid), nonce: randomUUID() };
  const draft = `${path}.${own.nonce}.draft`;
  writeFileSync(draft, `${JSON.stringify(own)}\n`, { mode: 0o600, flag: 'wx' });
  return { own, draft };
}

function held(path: string, own: LockHolder): Extract<LockResult, { taken: true }> {
  return {
    taken: true,
    nonce: own.nonce,
    release() {
      if (readHolder(path)?.nonce === own.nonce) rmSync(path, { force: true });
    },
  };
}

function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined when the lock went away meanwhile. A file that is no lock of ours counts as held by nobody. */
export function readHolder(path: string): LockHolder | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  return parseHolder(text);
}

function parseHolder(text: string): LockHolder {
  const nobody: LockHolder = { pid: 0, started: null, nonce: 'unreadable' };
  try {
    const { pid, started, nonce } = JSON.parse(text) as Partial<Record<keyof LockHolder, unknown>>;
    // The nonce becomes part of a file name.
    if (typeof pid !== 'number' || typeof nonce !== 'string' || !/^[0-9a-f-]{36}$/.test(nonce)) return nobody;
    return { pid, started: typeof started === 'string' ? started : null, nonce };
  } catch {
    return nobody;
  }
}

export function isAlive({ pid, started }: LockHolder): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  if (isZombie(pid)) return false;
  const now = startOf(pid);
  return started === null || now === null || started === now;
}

/**
 * Killed, yet not collected by its parent, which in a container may never happen. One that still shows other threads may
 * be finishing a write, so it counts as alive.
 */
function isZombie(pid: number): boolean {
  try {
    return statOf(pid)[0] === 'Z' && readdirSync(`/proc/${pid}/task`).length <= 1;
  } catch {
    return false;
  }
}

/** Boot and start tick from /proc; both, because ticks are counted from the boot. */
function startOf(pid: number): string | null {
  try {
    const ticks = statOf(pid)[19];
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return ticks ? `${boot}/${ticks}` : null;
  } catch {
    return null;
  }
}

/** The fields of /proc/PID/stat after the program's name, which may hold spaces and brackets; they do not. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
