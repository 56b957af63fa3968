import { DEFAULT_REVISIONS_KEPT } from '@parley/protocol/continuity/limits';
import type { ForeignFolder } from './continuity/import/foreign-folder.ts';
import { Journal } from './continuity/journal.ts';
import { artifactFolder } from './coordination/artifact-folder.ts';
import { registryFolder } from './coordination/registry-folder.ts';
import { itemFolder } from './schedule/item-folder.ts';

/** What lies in an export beside capsules and is taken over with them. */
export const memoryFolders = (journal: Journal): readonly ForeignFolder[] => [
  artifactFolder(journal),
  registryFolder(journal),
  itemFolder(journal),
];

/** For a command on the host: nobody in its process hears of changes. */
export const hostFolders = (): readonly ForeignFolder[] =>
  memoryFolders(new Journal(DEFAULT_REVISIONS_KEPT, () => undefined));
