import { SCHEDULE_ID } from '@parley/protocol/schedule/requests';
import { type ForeignFolder, jsonDocument } from '../continuity/import/foreign-folder.ts';
import type { Journal } from '../continuity/journal.ts';
import type { ItemRow } from './item-store.ts';
import { itemPath, ITEMS_FOLDER } from './schedule-context.ts';
import { rowFrom, takeItem } from './taken-item.ts';

/** Reminders as they lie in a folder. */
export function itemFolder(journal: Journal): ForeignFolder {
  return {
    folder: ITEMS_FOLDER,
    holds: (path) => path === itemPath(idOf(path)) && SCHEDULE_ID.test(idOf(path)),
    fault(path, bytes) {
      const row = rowAt('', path, bytes);
      return typeof row === 'string' ? row : undefined;
    },
    async take(tx, ownerId, { path, bytes }, of) {
      const row = rowAt(ownerId, path, bytes);
      return typeof row === 'string' ? { kind: 'refused', error: row } : await takeItem(journal, tx, row, of);
    },
  };
}

const idOf = (path: string): string => path.slice(ITEMS_FOLDER.length + 1, -'.json'.length);

function rowAt(ownerId: string, path: string, bytes: Uint8Array): ItemRow | string {
  const row = rowFrom(ownerId, jsonDocument(bytes)?.value);
  if (typeof row === 'string') return row;
  return row.schedule_id === idOf(path) ? row : 'its id is not that of its path';
}
