import { createHash } from 'node:crypto';
import type { Reader } from '../platform/database/database.ts';
import { newestRevisionId } from './revision-store.ts';

/** How a revision is named to callers: opaque, and telling nothing about other owners. */
export function commitId(ownerId: string, revisionId: number): string {
  return createHash('sha1').update(`${ownerId}:${revisionId}`).digest('hex');
}

export async function latestCommit(reader: Reader, ownerId: string): Promise<string | null> {
  const id = await newestRevisionId(reader, ownerId);
  return id === undefined ? null : commitId(ownerId, id);
}
