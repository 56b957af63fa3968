import { closeSync, openSync, writeSync } from 'node:fs';
import { openSqliteHandle } from '../../database/sqlite/binding.ts';

const PAGE_BYTES = 4096;

/** Overwrites a page that nothing needs to start: the root of the table of invites. */
export function damageStore(file: string): void {
  const handle = openSqliteHandle(file, { readOnly: false });
  // Else the page could be read from the log instead of the file.
  handle.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const { rootpage } = handle.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'invites'").get() as {
    rootpage: number;
  };
  handle.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(64, 0xff), 0, 64, (rootpage - 1) * PAGE_BYTES);
  closeSync(descriptor);
}
