import type { Reader, Tx } from '../../../platform/database/database.ts';
import { sql } from '../../../platform/database/sql.ts';
import { pairKey, type PairCount, type ThreadCount } from './loop-guard.ts';

interface ThreadRow {
  readonly hops: number;
  readonly last_sender: string | null;
  readonly tripped_at: number | null;
}

interface PairRow {
  readonly turns: number;
  readonly last_sender: string | null;
  readonly window_started_at: number;
}

/** Undefined when nobody answered in the thread yet: a first message leaves no row. */
export async function readThread(
  reader: Reader,
  id: string,
): Promise<(ThreadCount & { readonly trippedAt: number | null }) | undefined> {
  const row = await reader.get<ThreadRow>(sql`
    SELECT hops, last_sender, tripped_at FROM message_threads WHERE id = ${id}`);
  return row && { hops: row.hops, lastSender: row.last_sender, trippedAt: row.tripped_at };
}

export async function writeThread(tx: Tx, id: string, count: ThreadCount, now: number): Promise<void> {
  await tx.run(sql`
    INSERT INTO message_threads (id, hops, last_sender, tripped_at, updated_at)
    VALUES (${id}, ${count.hops}, ${count.lastSender}, NULL, ${now})
    ON CONFLICT (id) DO UPDATE SET hops = excluded.hops, last_sender = excluded.last_sender, tripped_at = NULL,
      updated_at = excluded.updated_at`);
}

export async function readPair(reader: Reader, a: string, b: string): Promise<PairCount | undefined> {
  const [low, high] = pairKey(a, b);
  const row = await reader.get<PairRow>(sql`
    SELECT turns, last_sender, window_started_at FROM agent_pairs WHERE low = ${low} AND high = ${high}`);
  return row && { turns: row.turns, lastSender: row.last_sender, windowStartedAt: row.window_started_at };
}

export async function writePair(tx: Tx, a: string, b: string, count: PairCount): Promise<void> {
  const [low, high] = pairKey(a, b);
  await tx.run(sql`
    INSERT INTO agent_pairs (low, high, turns, last_sender, window_started_at, tripped_at)
    VALUES (${low}, ${high}, ${count.turns}, ${count.lastSender}, ${count.windowStartedAt}, NULL)
    ON CONFLICT (low, high) DO UPDATE SET turns = excluded.turns, last_sender = excluded.last_sender,
      window_started_at = excluded.window_started_at, tripped_at = NULL`);
}

/** True for the first refusal since the thread last went on. */
export async function markThreadTripped(tx: Tx, id: string, now: number): Promise<boolean> {
  const tripped = await tx.run(sql`
    UPDATE message_threads SET tripped_at = ${now} WHERE id = ${id} AND tripped_at IS NULL`);
  return tripped === 1;
}

export async function markPairTripped(tx: Tx, a: string, b: string, now: number): Promise<boolean> {
  const [low, high] = pairKey(a, b);
  const tripped = await tx.run(sql`
    UPDATE agent_pairs SET tripped_at = ${now} WHERE low = ${low} AND high = ${high} AND tripped_at IS NULL`);
  return tripped === 1;
}

/** A person or a cue spoke to the agent: whoever it talks with may go on. */
export async function resetPairsOf(tx: Tx, agent: string): Promise<void> {
  await tx.run(sql`
    UPDATE agent_pairs SET turns = 0, tripped_at = NULL WHERE (low = ${agent} OR high = ${agent}) AND turns > 0`);
}

/** The execution behind the last message that went this way. */
export async function lastExecution(
  reader: Reader,
  sender: string,
  recipient: string,
): Promise<string | undefined> {
  return await reader.value<string>(sql`
    SELECT execution_id FROM messages WHERE recipient = ${recipient} AND sender = ${sender}
    ORDER BY created_at DESC, id DESC LIMIT 1`);
}

/** Some message of a thread, for who may see it. */
export function threadMember(
  reader: Reader,
  ownerId: string,
  threadId: string,
): Promise<{ sender: string; recipient: string } | undefined> {
  return reader.get(sql`
    SELECT sender, recipient FROM messages
    WHERE thread_id = ${threadId} AND (sender_owner = ${ownerId} OR recipient_owner = ${ownerId})
    ORDER BY created_at LIMIT 1`);
}
