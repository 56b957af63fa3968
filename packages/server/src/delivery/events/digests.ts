import { DIGEST_PRIORITY } from '@parley/protocol/delivery/limits';
import type { Tx } from '../../platform/database/database.ts';
import type { Json } from '../../wire/delivery/signed-json.ts';
import { iso } from '../../wire/delivery/times.ts';
import { type EventRow, undigested } from './event-store.ts';
import type { SubscriptionContext } from './subscriptions.ts';

interface DigestJob {
  readonly agent: string;
  /** When the period is over. */
  readonly end: number;
}

const DIGEST_JOB = 'delivery.digest';
/** Messages in one digest; with more there are several. */
const MOST_BUNDLED = 500;

/**
 * Messages of low priority, told of together. Time is cut into periods of the same length for all; the first such message in
 * one makes the job for its end. What is in a digest is what came since the one before, so nothing is in two.
 */
export function defineDigests(context: SubscriptionContext): void {
  context.jobs.defineWrite<DigestJob>(DIGEST_JOB, (tx, job) => writeDigest(context, tx, job));
}

/** The events of the agent are locked: a digest that is just being written has this one in it, or is over. */
export async function ensureDigest(
  { jobs, settings }: SubscriptionContext,
  tx: Tx,
  { agent, emitted_at: at }: EventRow,
): Promise<void> {
  const { digestMs } = settings.events;
  const end = (Math.floor(at / digestMs) + 1) * digestMs;
  await jobs.enqueue(tx, DIGEST_JOB, { agent, end }, { key: agent, dueAt: end });
}

async function writeDigest(
  { clock, settings, events }: SubscriptionContext,
  tx: Tx,
  { agent, end }: DigestJob,
): Promise<undefined> {
  const { digestMs } = settings.events;
  await events.lock(tx, agent);
  const rows = await undigested(tx, agent, DIGEST_PRIORITY);
  const last = rows.at(-1)?.emitted_at ?? end;
  const period = { start: end - digestMs, end: last <= end ? end : clock.now() };
  for (let at = 0; at < rows.length; at += MOST_BUNDLED) {
    const payload = digestOf(rows.slice(at, at + MOST_BUNDLED), period, settings.spellAgent(agent));
    events.note(tx, { agent, type: 'message.digest', payload });
  }
}

function digestOf(
  rows: readonly EventRow[],
  { start, end }: { start: number; end: number },
  agentId: string,
): Record<string, Json> {
  return {
    recipient_agent_id: agentId,
    digest_period_start: iso(start),
    digest_period_end: iso(end),
    bundle_count: rows.length,
    bundled_messages: rows.map((row) => {
      // We wrote it with these members.
      const told = JSON.parse(row.payload) as Record<string, Json>;
      const { message_id, sender_agent_id, subject, priority } = told;
      return { message_id, sender_agent_id, subject, priority, emitted_at: iso(row.emitted_at) };
    }),
  };
}
