import type { Reader, Tx } from '../../../platform/database/database.ts';
import { sql } from '../../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../../platform/database/table.ts';
import { pairKey, type PairCount, type ThreadCount } from './loop-guard.ts';

const threads = table('message_threads', {
  id: column<string>(),
  hops: column<number>(),
  lastSender: column<string | null>(),
  trippedAt: column<number | null>(),
  updatedAt: column<number>(),
});
const threadCounts = threads.pick('hops', 'lastSender', 'trippedAt');
const putThread = threads.upsert('id');

const pairs = table('agent_pairs', {
  low: column<string>(),
  high: column<string>(),
  turns: column<number>(),
  lastSender: column<string | null>(),
  windowStartedAt: column<number>(),
  trippedAt: column<number | null>(),
});
const pairCounts = pairs.pick('turns', 'lastSender', 'windowStartedAt');
const putPair = pairs.upsert('low', 'high');

/** Undefined when nobody answered in the thread yet: a first message leaves no row. */
export function readThread(reader: Reader, id: string): Promise<RowOf<typeof threadCounts> | undefined> {
  return reader.get(threadCounts.select`WHERE id = ${id}`);
}

export async function writeThread(tx: Tx, id: string, count: ThreadCount, now: number): Promise<void> {
  const { hops, lastSender } = count;
  await tx.run(putThread({ id, hops, lastSender, trippedAt: null, updatedAt: now }));
}

export async function readPair(reader: Reader, a: string, b: string): Promise<PairCount | undefined> {
  const [low, high] = pairKey(a, b);
  return await reader.get<PairCount>(pairCounts.select`WHERE low = ${low} AND high = ${high}`);
}

export async function writePair(tx: Tx, a: string, b: string, count: PairCount): Promise<void> {
  const [low, high] = pairKey(a, b);
  await tx.run(putPair({ low, high, ...count, trippedAt: null }));
}

/** True for the first refusal since the thread last went on. */
export async function markThreadTripped(tx: Tx, id: string, now: number): Promise<boolean> {
  return await tx.affects(sql`
    UPDATE message_threads SET tripped_at = ${now} WHERE id = ${id} AND tripped_at IS NULL`);
}

export async function markPairTripped(tx: Tx, a: string, b: string, now: number): Promise<boolean> {
  const [low, high] = pairKey(a, b);
  return await tx.affects(sql`
    UPDATE agent_pairs SET tripped_at = ${now} WHERE low = ${low} AND high = ${high} AND tripped_at IS NULL`);
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
