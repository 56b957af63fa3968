import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';
import type { Subject } from '../capsule/subject.ts';

const replays = table('continuity_replays', {
  owner_id: column<string>(),
  kind: column<string>(),
  slug: column<string>(),
  idempotency_key: column<string>(),
  body_sha256: column<string>(),
  answer: column<string>(),
  expires_at: column<number>(),
});

const answered = replays.pick('body_sha256', 'answer');
type ReplayRow = RowOf<typeof answered>;

const put = replays.upsert('owner_id', 'kind', 'slug', 'idempotency_key');

export function findReplayRow(
  reader: Reader,
  ownerId: string,
  { kind, slug }: Subject,
  key: string,
  now: number,
): Promise<ReplayRow | undefined> {
  return reader.get<ReplayRow>(answered.select`
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug} AND idempotency_key = ${key}
      AND expires_at > ${now}`);
}

export async function putReplayRow(
  tx: Tx,
  ownerId: string,
  { kind, slug }: Subject,
  key: string,
  row: ReplayRow,
  expiresAt: number,
): Promise<void> {
  const name = { owner_id: ownerId, kind, slug, idempotency_key: key };
  await tx.run(put({ ...name, ...row, expires_at: expiresAt }));
}

export function removeReplaysUntil(tx: Tx, now: number): Promise<number> {
  return tx.run(replays.delete`WHERE expires_at <= ${now}`);
}

/** When the next one runs out. */
export async function nextReplayExpiry(reader: Reader): Promise<number | undefined> {
  return await reader.value<number>(sql`SELECT MIN(expires_at) AS at FROM continuity_replays`);
}
