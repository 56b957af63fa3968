import { chmodSync, mkdirSync } from 'node:fs';

const FOR_ITS_OWNER = 0o700;

/** With all that leads to it, and for its owner only. One that is there stays as open as it is. */
export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: FOR_ITS_OWNER });
}

/** The same for what holds secrets: one that is there is closed to others. */
export function makeClosedFolder(path: string): void {
  makeFolder(path);
  chmodSync(path, FOR_ITS_OWNER);
}
