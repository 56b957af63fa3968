import { SCHEDULE_ID } from '@parley/protocol/schedule/requests';
import { type ForeignFolder, jsonDocument } from '../continuity/import/foreign-folder.ts';
import type { Journal } from '../continuity/journal.ts';
import { itemPath, ITEMS_FOLDER } from './schedule-context.ts';
import { itemFrom, takeItem } from './taken-item.ts';

/** Reminders as they lie in a folder. */
export function itemFolder(journal: Journal): ForeignFolder {
  return {
    folder: ITEMS_FOLDER,
    holds: (path) => path === itemPath(idOf(path)) && SCHEDULE_ID.test(idOf(path)),
    read(path, bytes) {
      const item = itemFrom(jsonDocument(bytes)?.value);
      if (typeof item === 'string') return item;
      if (item.schedule_id !== idOf(path)) return 'its id is not that of its path';
      return (tx, of) => takeItem(journal, tx, item, of);
    },
  };
}

const idOf = (path: string): string => path.slice(ITEMS_FOLDER.length + 1, -'.json'.length);
