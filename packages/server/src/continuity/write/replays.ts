import { REPLAY_MS } from '@parley/protocol/continuity/limits';
import type { UpsertRequest } from '@parley/protocol/continuity/requests';
import type { Reader, Tx } from '../../platform/database/database.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { columnText } from '../artifacts/artifact.ts';
import type { OperationCall } from '../call.ts';
import { canonicalJson, sha256 } from '../capsule/canonical.ts';
import { isDeep } from '../capsule/depth.ts';
import type { MemoryContext } from '../memory-context.ts';
import { badRequest } from '../../wire/memory/errors.ts';
import { findReplayRow, nextReplayExpiry, putReplayRow, removeReplaysUntil } from './replay-store.ts';
import type { Subject } from '../capsule/subject.ts';

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

export type KnownReplay = { readonly kind: 'same'; readonly answer: object } | { readonly kind: 'reused' };

export async function findReplay(
  reader: Reader,
  ownerId: string,
  subject: Subject,
  { key, bodySha256 }: Replay,
  now: number,
): Promise<KnownReplay | undefined> {
  const row = await findReplayRow(reader, ownerId, subject, key, now);
  if (!row) return undefined;
  if (row.body_sha256 !== bodySha256) return { kind: 'reused' };
  return { kind: 'same', answer: JSON.parse(row.answer) as object };
}

export async function keepReplay(
  memory: MemoryContext,
  tx: Tx,
  ownerId: string,
  subject: Subject,
  { key, bodySha256 }: Replay,
  answer: object,
  now: number,
): Promise<void> {
  const expiresAt = now + REPLAY_MS;
  const row = { body_sha256: bodySha256, answer: JSON.stringify(answer) };
  await putReplayRow(tx, ownerId, subject, key, row, expiresAt);
  await memory.jobs.enqueue(tx, JOB, {}, { key: 'all', dueAt: expiresAt });
}

/** Removes what has run out, and comes back when the next one does. */
export function forgetReplays(jobs: Jobs, now: () => number): void {
  jobs.defineWrite(JOB, async (tx) => {
    await removeReplaysUntil(tx, now());
    await jobs.settleKey(tx, JOB, 'all');
    return await nextReplayExpiry(tx);
  });
}
