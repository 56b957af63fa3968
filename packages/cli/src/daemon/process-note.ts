import { readdirSync, readFileSync } from 'node:fs';

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
  const [state, now] = statOf(pid);
  return state !== 'Z' && (started === null || now === null || started === now);
}

/**
 * The process that was started for a run, found by its environment: whoever started it may have been killed before it could
 * write down the pid. `unknown` where the system does not show environments.
 */
export function findRun(runId: string): number | 'none' | 'unknown' {
  const mark = `${RUN_ID_VARIABLE}=${runId}`;
  let names: string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return 'unknown';
  }
  for (const name of names) {
    const pid = Number(name);
    if (environmentOf(pid).includes(mark) && statOf(pid)[0] !== 'Z') return pid;
  }
  return names.length === 0 ? 'unknown' : 'none';
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch {
    return [];
  }
}

const startOf = (pid: number): string | null => statOf(pid)[1];

/** Its state and its start, from after the program's name, which may hold spaces and brackets. */
function statOf(pid: number): [string | null, string | null] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [fields[0] ?? null, fields[19] ?? null];
  } catch {
    return [null, null];
  }
}
