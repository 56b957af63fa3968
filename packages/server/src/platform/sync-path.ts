import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Puts what was written to a file on the disk. */
export function syncFile(path: string, flags = 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the names in a folder last: those that were made, taken or given up there. */
export function syncFolder(folder: string): void {
  if (process.platform !== 'win32') syncFile(folder, 'r');
}
