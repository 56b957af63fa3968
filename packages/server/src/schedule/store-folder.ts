import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ForeignFolder, ForeignOutcome, Taking } from '../continuity/import/foreign-folder.ts';
import type { Journal } from '../continuity/journal.ts';
import type { Tx } from '../platform/database/database.ts';
import { openSqliteHandle, type SqliteHandle } from '../platform/database/sqlite/binding.ts';
import { ITEMS_FOLDER, STORE_PATH } from './schedule-context.ts';
import { itemFrom, takeItem } from './taken-item.ts';

/** What was written last may stand there alone. */
const LOG_PATH = `${STORE_PATH}-wal`;
const UNMERGED = 'holds reminders that are not in schedule.db yet: end the program that writes it';

/** Reminders in the SQLite file the original system keeps them in. Each that is not as it should be is refused by itself. */
export function storeFolder(journal: Journal): ForeignFolder {
  return {
    folder: dirname(STORE_PATH),
    holds: (path) => path === STORE_PATH || path === LOG_PATH,
    skips: (path) => path === ITEMS_FOLDER || path === `${STORE_PATH}-shm`,
    read(path, bytes) {
      if (path === LOG_PATH) return bytes.length === 0 ? async () => ({ kind: 'unchanged' }) : UNMERGED;
      const found = itemsIn(bytes);
      return found ? (tx, of) => takeAll(journal, tx, found, of) : 'not a database of reminders';
    },
  };
}

async function takeAll(
  journal: Journal,
  tx: Tx,
  found: readonly Found[],
  of: Taking,
): Promise<ForeignOutcome> {
  const refused: string[] = [];
  let taken = 0;
  for (const value of found) {
    const item = itemFrom(value);
    const outcome =
      typeof item === 'string'
        ? ({ kind: 'refused', error: item } as const)
        : await takeItem(journal, tx, item, of);
    if (outcome.kind === 'refused') refused.push(`${String(value.schedule_id)}: ${outcome.error}`);
    taken += Number(outcome.kind === 'taken');
  }
  if (refused.length > 0) {
    const error = `${refused.length} of ${found.length} reminders: ${refused.slice(0, SHOWN).join('; ')}`;
    return { kind: 'refused', error };
  }
  return { kind: taken > 0 ? 'taken' : 'unchanged' };
}

const SHOWN = 5;

type Found = Readonly<Record<string, unknown>>;

/** Undefined when that is no such database. It is read from a copy of ours: whatever it says, nothing else is opened. */
function itemsIn(bytes: Uint8Array): Found[] | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'parley-schedule-'));
  try {
    const file = join(folder, 'schedule.db');
    // Bytes 18 and 19 say that there is a log beside the file. There is none beside the copy, which could not be read then.
    const copy = Buffer.from(bytes);
    if (copy.length > 19) copy.fill(1, 18, 20);
    writeFileSync(file, copy);
    const handle = openSqliteHandle(file, { readOnly: true });
    try {
      return rowsIn(handle);
    } finally {
      handle.close();
    }
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowsIn(handle: SqliteHandle): Found[] | undefined {
  const named = handle
    .prepare(`SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
      WHERE m.type = 'table' AND c.name IN ('schedule_id', 'due_at', 'create_identity_hash')
      GROUP BY m.name HAVING count(*) = 3 ORDER BY m.name LIMIT 1`)
    .get() as { name: string } | undefined;
  if (!named) return undefined;
  const rows = handle.prepare(`SELECT * FROM "${named.name.replaceAll('"', '""')}"`).all() as Found[];
  return rows.map((row) => ({ ...row, metadata: metadataOf(row.metadata ?? row.metadata_json) }));
}

function metadataOf(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}
