import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Subject } from '../capsule/subject.ts';

export interface ReplayRow {
  readonly body_sha256: string;
  readonly answer: string;
}

export function findReplayRow(
  reader: Reader,
  ownerId: string,
  { kind, slug }: Subject,
  key: string,
  now: number,
): Promise<ReplayRow | undefined> {
  return reader.get<ReplayRow>(sql`
    SELECT body_sha256, answer FROM continuity_replays
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug} AND idempotency_key = ${key}
      AND expires_at > ${now}`);
}

export async function putReplayRow(
  tx: Tx,
  ownerId: string,
  { kind, slug }: Subject,
  key: string,
  { body_sha256: bodySha256, answer }: ReplayRow,
  expiresAt: number,
): Promise<void> {
  await tx.run(sql`
    INSERT INTO continuity_replays (owner_id, kind, slug, idempotency_key, body_sha256, answer, expires_at)
    VALUES (${ownerId}, ${kind}, ${slug}, ${key}, ${bodySha256}, ${answer}, ${expiresAt})
    ON CONFLICT (owner_id, kind, slug, idempotency_key) DO UPDATE SET
      body_sha256 = excluded.body_sha256, answer = excluded.answer, expires_at = excluded.expires_at`);
}

export function removeReplaysUntil(tx: Tx, now: number): Promise<number> {
  return tx.run(sql`DELETE FROM continuity_replays WHERE expires_at <= ${now}`);
}

/** When the next one runs out. */
export async function nextReplayExpiry(reader: Reader): Promise<number | undefined> {
  return await reader.value<number>(sql`SELECT MIN(expires_at) AS at FROM continuity_replays`);
}
