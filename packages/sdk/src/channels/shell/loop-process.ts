import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createPrivateFile, readPrivateFile } from './private-files.ts';

/** The loops that were started for one session: their process ids, oldest first, in the session's header file. */
export function loopProcesses(headerFile: string): number[] {
  if (!existsSync(headerFile)) return [];
  return [...readPrivateFile(headerFile).matchAll(/^pid=(\d+)$/gm)].map(([, pid]) => Number(pid));
}

export function rememberLoop(headerFile: string, processId: number): void {
  const lines = [...loopProcesses(headerFile), processId].map((pid) => `pid=${pid}\n`);
  createPrivateFile(headerFile, lines.join(''));
}

/** A process id is given out again after its process ended, so the id alone proves nothing. */
export function isRunningLoop(processId: number): boolean {
  return /\bagentalk\s+loop\s*$/.test(commandLine(processId));
}

export async function stopLoop(processId: number): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isRunningLoop(processId)) return;
    process.kill(processId, signal);
    await ended(processId);
  }
}

async function ended(processId: number): Promise<void> {
  for (let waited = 0; waited < 3_000 && isRunningLoop(processId); waited += 20) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function commandLine(processId: number): string {
  if (existsSync('/proc/self/cmdline')) {
    try {
      return readFileSync(`/proc/${processId}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return '';
    }
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(processId)], { encoding: 'utf8' }).stdout;
}
