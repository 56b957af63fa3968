import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process of ours, as a later daemon knows it again. A pid alone is not enough: another program may be given it. */
export interface ProcessNote {
  readonly pid: number;
  /** When it began, in ticks since the boot; null where the system does not say. */
  readonly started: string | null;
}

export const RUN_ID_VARIABLE = 'PARLEY_RUN_ID';

export const noteOf = (pid: number): ProcessNote => ({ pid, started: startOf(pid) });

/** Alive, and the same. */
export function isRunning({ pid, started }: ProcessNote): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const { state, start: now } = statOf(pid);
  return state !== 'Z' && (started === null || now === null || started === now);
}

/**
 * The process that was started for a run, found by its environment: whoever started it may have been killed before it could write
 * down the pid. `unknown` where the system does not show environments, and while some process has the input of the run open: one that
 * was forked and is about to become the program has no environment of its own yet.
 */
export function findRun(runId: string, input: string): number | 'none' | 'unknown' {
  const mark = `${RUN_ID_VARIABLE}=${runId}`;
  const others = processes().filter((pid) => pid !== process.pid && statOf(pid).state !== 'Z');
  const found = others.find((pid) => environmentOf(pid).includes(mark));
  if (found !== undefined) return found;
  return others.length === 0 || others.some((pid) => hasOpen(pid, input)) ? 'unknown' : 'none';
}

/** Its helpers end with it; a helper that it left behind ends alone. */
export function endRun(pid: number): void {
  try {
    process.kill(statOf(pid).group === pid ? -pid : pid, 'SIGKILL');
  } catch {}
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function hasOpen(pid: number, path: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((name) => targetOf(`${folder}/${name}`) === path);
  } catch {
    return false;
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

const startOf = (pid: number): string | null => statOf(pid).start;

/** From after the program's name, which may hold spaces and brackets. */
function statOf(pid: number): { state: string | null; group: number | null; start: string | null } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? null, group: Number(fields[2]) || null, start: fields[19] ?? null };
  } catch {
    return { state: null, group: null, start: null };
  }
}
