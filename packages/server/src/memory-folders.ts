import { DEFAULT_REVISIONS_KEPT } from '@parley/protocol/continuity/limits';
import type { ForeignFolder } from './continuity/import/foreign-folder.ts';
import { createJournal, type Journal } from './continuity/journal.ts';
import { artifactFolder } from './coordination/artifact-folder.ts';
import { registryFolder } from './coordination/registry-folder.ts';
import { documentFolders } from './knowledge/import/document-folder.ts';
import { taskFolder } from './knowledge/import/task-folder.ts';
import { itemFolder } from './schedule/item-folder.ts';
import { storeFolder } from './schedule/store-folder.ts';

/** What lies in an export, or in a folder of the original system, beside capsules and is taken over with them. */
export const memoryFolders = (journal: Journal): readonly ForeignFolder[] => [
  artifactFolder(journal),
  registryFolder(journal),
  itemFolder(journal),
  storeFolder(journal),
  taskFolder(journal),
  ...documentFolders(journal),
];

/** For a command on the host: nobody in its process hears of changes. */
export const hostFolders = (): readonly ForeignFolder[] =>
  memoryFolders(createJournal(DEFAULT_REVISIONS_KEPT, () => undefined));
