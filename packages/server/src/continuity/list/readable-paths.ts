import type { Caller } from '../../wire/caller.ts';
import { mayRead } from '../access.ts';
import {
  ARCHIVE_FOLDER,
  type ArchiveName,
  COLD_INDEX_FOLDER,
  FALLBACK_FOLDER,
  FOLDER,
  locate,
} from '../artifacts/paths.ts';

/** By the number of a state: its folder, and what a path in it names. */
const PLACES = [
  [FOLDER, 'active'],
  [FALLBACK_FOLDER, 'fallback'],
  [ARCHIVE_FOLDER, 'archived'],
  [COLD_INDEX_FOLDER, 'stub'],
] as const;

/**
 * The only artifacts of a state that the caller may read; undefined when it may read all. For queries to leave out the
 * others, so that limits and counts are about what is shown. A stamp is empty where names have none.
 */
export function readableOnly(caller: Caller, state: number): readonly ArchiveName[] | undefined {
  const [folder, word] = PLACES[state] ?? PLACES[0];
  if (mayRead(caller, folder)) return undefined;
  return caller.readNamespaces.flatMap((path) => {
    const place = locate(path);
    if (place?.state !== word) return [];
    const { kind, slug, stamp } = 'name' in place ? place.name : { ...place, stamp: '' };
    return [{ kind, slug, stamp }];
  });
}
