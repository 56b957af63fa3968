import { CliError } from '../cli-error.ts';

/** Two bridges of one home would take each other's room tokens away. */
export async function holdLock(path: string): Promise<{ release(): void }> {
  const { takeLock } = await import('@parley/server/platform/database/lock-file');
  const lock = takeLock(path);
  if (lock.taken) return lock;
  throw new CliError('locked', `process ${lock.holder.pid} serves this home already (${path})`);
}

/** Whether a bridge serves this home. What a process that was killed left behind is not one. */
export async function isServing(path: string): Promise<boolean> {
  const { isAlive, readHolder } = await import('@parley/server/platform/database/lock-file');
  const holder = readHolder(path);
  return holder !== undefined && isAlive(holder);
}
