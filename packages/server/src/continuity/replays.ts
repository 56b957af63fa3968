import { REPLAY_MS } from '@parley/protocol/continuity/limits';
import type { UpsertRequest } from '@parley/protocol/continuity/requests';
import type { Database, Reader, Tx } from '../platform/database/database.ts';
import { sql } from '../platform/database/sql.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import { columnText } from './artifact.ts';
import type { OperationCall } from './call.ts';
import { canonicalJson, sha256 } from './canonical.ts';
import type { Desk } from './desk.ts';
import { badRequest } from './errors.ts';
import type { Subject } from './subject.ts';

const JOB = 'continuity.forget_replays';

export interface Replay {
  readonly key: string;
  readonly bodySha256: string;
}

/** Only for callers that ask for it: without, the key is a note and nothing more. */
export function replayOf({ body, raw }: OperationCall<UpsertRequest>): Replay | undefined {
  const { idempotent_replay: wanted, idempotency_key: key } = body;
  if (!wanted || !key) return undefined;
  if (isDeep(raw)) throw badRequest('Request is nested too deeply to be remembered');
  return { key: columnText(key), bodySha256: sha256(canonicalJson(raw)) };
}

const DEEPEST = 64;

/** Deeper than any request has reason to be. A loop, because the depth is the sender's choice. */
function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}

export type KnownReplay = { readonly kind: 'same'; readonly answer: object } | { readonly kind: 'reused' };

export async function findReplay(
  reader: Reader,
  ownerId: string,
  { kind, slug }: Subject,
  { key, bodySha256 }: Replay,
  now: number,
): Promise<KnownReplay | undefined> {
  const row = await reader.get<{ body_sha256: string; answer: string }>(sql`
    SELECT body_sha256, answer FROM continuity_replays
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug} AND idempotency_key = ${key}
      AND expires_at > ${now}`);
  if (!row) return undefined;
  if (row.body_sha256 !== bodySha256) return { kind: 'reused' };
  return { kind: 'same', answer: JSON.parse(row.answer) as object };
}

export async function keepReplay(
  desk: Desk,
  tx: Tx,
  ownerId: string,
  { kind, slug }: Subject,
  { key, bodySha256 }: Replay,
  answer: object,
  now: number,
): Promise<void> {
  const expiresAt = now + REPLAY_MS;
  await tx.run(sql`
    INSERT INTO continuity_replays (owner_id, kind, slug, idempotency_key, body_sha256, answer, expires_at)
    VALUES (${ownerId}, ${kind}, ${slug}, ${key}, ${bodySha256}, ${JSON.stringify(answer)}, ${expiresAt})
    ON CONFLICT (owner_id, kind, slug, idempotency_key) DO UPDATE SET
      body_sha256 = excluded.body_sha256, answer = excluded.answer, expires_at = excluded.expires_at`);
  await desk.jobs.enqueue(tx, JOB, {}, { key: 'all', dueAt: expiresAt });
}

/** Removes what has run out, and comes back when the next one does. */
export function forgetReplays(jobs: Jobs, database: Database, now: () => number): void {
  jobs.define(JOB, {
    concurrency: 1,
    handler: async ({ retryAt }) => {
      await database.write((tx) => tx.run(sql`DELETE FROM continuity_replays WHERE expires_at <= ${now()}`));
      const next = await database.read.get<{ at: number | null }>(
        sql`SELECT MIN(expires_at) AS at FROM continuity_replays`,
      );
      if (next?.at != null) retryAt(next.at);
    },
  });
}
