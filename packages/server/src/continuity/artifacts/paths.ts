import { SUBJECT_KINDS, type SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { SLUG_CHARS } from '@parley/protocol/continuity/limits';
import type { SubjectName } from '../capsule/subject.ts';

/** Where artifacts stand on the wire, though they are rows. */
export const FOLDER = 'memory/continuity';
export const FALLBACK_FOLDER = `${FOLDER}/fallback`;
export const ARCHIVE_FOLDER = `${FOLDER}/archive`;
export const COLD_FOLDER = `${FOLDER}/cold`;
export const COLD_INDEX_FOLDER = `${COLD_FOLDER}/index`;
export const REFRESH_STATE_PATH = `${FOLDER}/refresh_state.json`;
export const RETENTION_STATE_PATH = `${FOLDER}/retention_state.json`;

export const activePath = ({ kind, slug }: SubjectName): string => `${FOLDER}/${kind}-${slug}.json`;
export const fallbackPath = ({ kind, slug }: SubjectName): string =>
  `${FALLBACK_FOLDER}/${kind}-${slug}.json`;
export const archivePath = ({ kind, slug }: SubjectName, stamp: string): string =>
  `${ARCHIVE_FOLDER}/${kind}-${slug}-${stamp}.json`;

/** What the name of an archive says. */
export interface ArchiveName extends SubjectName {
  readonly stamp: string;
}

const NAME = new RegExp(`^(${SUBJECT_KINDS.join('|')})-([a-z0-9._-]{1,${SLUG_CHARS}})-(\\d{8}T\\d{6}Z)$`);
const SUBJECT_NAME = new RegExp(`^(${SUBJECT_KINDS.join('|')})-([a-z0-9._-]{1,${SLUG_CHARS}})$`);

export function isArchivePath(path: string): boolean {
  return path.startsWith(`${ARCHIVE_FOLDER}/`) && path.endsWith('.json') && staysBelow(path);
}

export function isStubPath(path: string): boolean {
  return path.startsWith(`${COLD_INDEX_FOLDER}/`) && path.endsWith('.md') && staysBelow(path);
}

/** Two dots inside a name are part of it: the slug of a subject may have them. */
const staysBelow = (path: string): boolean => !path.split('/').includes('..');

/** Undefined when the path is not that of an archive of any subject. */
export function archiveNameOf(path: string): ArchiveName | undefined {
  if (!isArchivePath(path)) return undefined;
  const found = NAME.exec(path.slice(ARCHIVE_FOLDER.length + 1, -'.json'.length));
  return found ? { kind: found[1] as SubjectKind, slug: found[2] ?? '', stamp: found[3] ?? '' } : undefined;
}

const fileOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const stemOf = (path: string): string => fileOf(path).replace(/\.(json|md)$/, '');

export const coldPayloadPath = (archive: string): string => `${COLD_FOLDER}/${fileOf(archive)}.gz`;
export const coldStubPath = (archive: string): string => `${COLD_INDEX_FOLDER}/${stemOf(archive)}.md`;
export const archiveOfStub = (stub: string): string => `${ARCHIVE_FOLDER}/${stemOf(stub)}.json`;

/** An artifact by its path; undefined for what is none, the documents of the plans among it. */
export type Located =
  | { readonly state: 'active' | 'fallback'; readonly kind: SubjectKind; readonly slug: string }
  | { readonly state: 'archived' | 'payload' | 'stub'; readonly archive: string; readonly name: ArchiveName };

export function locate(path: string): Located | undefined {
  if (path.startsWith(`${COLD_INDEX_FOLDER}/`) && path.endsWith('.md')) {
    return ofArchive('stub', archiveOfStub(path));
  }
  if (path.startsWith(`${COLD_FOLDER}/`) && path.endsWith('.json.gz')) {
    return ofArchive('payload', `${ARCHIVE_FOLDER}/${fileOf(path).slice(0, -'.gz'.length)}`);
  }
  if (isArchivePath(path)) return ofArchive('archived', path);
  const state = path === `${FALLBACK_FOLDER}/${fileOf(path)}` ? 'fallback' : 'active';
  if (state === 'active' && path !== `${FOLDER}/${fileOf(path)}`) return undefined;
  const found = path.endsWith('.json') ? SUBJECT_NAME.exec(stemOf(path)) : null;
  return found ? { state, kind: found[1] as SubjectKind, slug: found[2] ?? '' } : undefined;
}

function ofArchive(state: 'archived' | 'payload' | 'stub', archive: string): Located | undefined {
  const name = archiveNameOf(archive);
  return name && { state, archive, name };
}
