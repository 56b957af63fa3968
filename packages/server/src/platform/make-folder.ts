import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const FOR_ITS_OWNER = 0o700;

/**
 * Makes a folder and those above it that are missing, each for its owner alone. Step by step: Node's own way goes on for ever
 * where a folder is there and yet takes none inside, as `/proc` does.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (!existsSync(above) && above !== path) makeFolder(above);
  try {
    mkdirSync(path, { mode: FOR_ITS_OWNER });
  } catch (error) {
    // Somebody else was first.
    if (!isFolder(path)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
