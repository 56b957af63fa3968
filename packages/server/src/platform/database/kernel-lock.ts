import { openSqliteHandle, type SqliteHandle } from './sqlite/binding.ts';

/** A handle that nobody refers to is collected, and its lock with it. */
const held = new Set<SqliteHandle>();

/**
 * A lock that ends with the process however that ends: an exclusive transaction on a file of its own, which the kernel
 * keeps by open file and not by pid. So it holds between containers that share a folder and cannot see each other's
 * processes, and is never left behind by `kill -9`. The file stays: removing it could leave two holders, each on its own.
 *
 * Undefined when somebody else has it.
 */
export function takeKernelLock(file: string): { release(): void } | undefined {
  const handle = openSqliteHandle(file, { readOnly: false, timeout: 0 });
  try {
    handle.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    handle.close();
    if (error instanceof Error && /\b(?:locked|busy)\b/i.test(error.message)) return undefined;
    throw error;
  }
  held.add(handle);
  return {
    release() {
      if (held.delete(handle)) handle.close();
    },
  };
}
