import { hash } from 'node:crypto';
import type { Reader } from '../../platform/database/database.ts';
import { newestRevisionId } from './revision-store.ts';

/** How a revision is named to callers: opaque, and telling nothing about other owners. */
export function commitId(ownerId: string, revisionId: number): string {
  return hash('sha1', `${ownerId}:${revisionId}`);
}

export async function latestCommit(reader: Reader, ownerId: string): Promise<string | null> {
  const id = await newestRevisionId(reader, ownerId);
  return id === undefined ? null : commitId(ownerId, id);
}
