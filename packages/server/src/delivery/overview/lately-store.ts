import type {
  ExecutionSource,
  ExecutionStatus,
  MessageState,
  OutcomeState,
  ProvenStage,
  Trigger,
} from '@parley/protocol/delivery/vocabulary';
import type { Kysely } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

/** A message as a list shows it: without its text. */
export interface ListedMessage {
  readonly id: string;
  readonly sender: string;
  readonly recipient: string;
  readonly sender_owner: string;
  readonly recipient_owner: string;
  readonly thread_id: string;
  readonly subject: string | null;
  readonly priority: number;
  readonly expects_reply: number;
  readonly state: MessageState;
  readonly proven_stage: ProvenStage;
  readonly dispatch_error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly execution_id: string;
}

export interface ListedExecution {
  readonly id: string;
  readonly owner_id: string;
  readonly source: ExecutionSource;
  readonly cue_id: string;
  readonly message_id: string | null;
  readonly agent: string | null;
  readonly task: string | null;
  readonly status: ExecutionStatus;
  readonly outcome_state: OutcomeState | null;
  readonly triggered_by: Trigger;
  readonly attempts: number;
  readonly claimed_by: string | null;
  readonly lease_expires_at: number | null;
  readonly error_message: string | null;
  readonly scheduled_for: number;
  readonly created_at: number;
  readonly updated_at: number;
}

interface Tables {
  messages: ListedMessage & { readonly failed_at: number | null };
  executions: ListedExecution;
  agent_delivery: { agent: string; owner_id: string; created_at: number; deleted_at: number | null };
}

const MESSAGE = [
  'id',
  'sender',
  'recipient',
  'sender_owner',
  'recipient_owner',
  'thread_id',
  'subject',
  'priority',
  'expects_reply',
  'state',
  'proven_stage',
  'dispatch_error',
  'created_at',
  'updated_at',
  'execution_id',
] as const;

const EXECUTION = [
  'id',
  'owner_id',
  'source',
  'cue_id',
  'message_id',
  'agent',
  'task',
  'status',
  'outcome_state',
  'triggered_by',
  'attempts',
  'claimed_by',
  'lease_expires_at',
  'error_message',
  'scheduled_for',
  'created_at',
  'updated_at',
] as const;

/** Where a page begins: after the row with this time and id. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

export interface MessageAsk {
  /** Whose; undefined: everybody's. */
  readonly ownerId: string | undefined;
  readonly agent: string | undefined;
  readonly state: MessageState | undefined;
  readonly thread: string | undefined;
  readonly after: Place | undefined;
  readonly limit: number;
}

/** Newest first. What an owner sent to others and what it got are two stretches of two indexes. */
export async function messagesLately(reader: Reader, ask: MessageAsk): Promise<ListedMessage[]> {
  const kysely = reader.kysely<Tables>();
  const { ownerId, agent } = ask;
  const narrowed = (box: 'in' | 'out') => {
    let query = within(kysely, ask);
    if (ownerId !== undefined)
      query =
        box === 'in'
          ? query.where('recipient_owner', '=', ownerId)
          : query.where('sender_owner', '=', ownerId).whereRef('sender_owner', '<>', 'recipient_owner');
    if (agent !== undefined) query = query.where(box === 'in' ? 'recipient' : 'sender', '=', agent);
    return query.select(MESSAGE).execute();
  };
  const both = ownerId !== undefined || agent !== undefined;
  if (!both) return await narrowed('in');
  // What an agent sent within its owner is not in the owner's box of what went out.
  const sent = agent === undefined ? narrowed('out') : sentBy(kysely, ask, agent);
  const found = [...(await narrowed('in')), ...(await sent)];
  const unique = new Map(found.map((row) => [row.id, row]));
  return [...unique.values()]
    .toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1))
    .slice(0, ask.limit);
}

function sentBy(kysely: Kysely<Tables>, ask: MessageAsk, agent: string) {
  const query = within(kysely, ask).where('sender', '=', agent);
  return (ask.ownerId === undefined ? query : query.where('sender_owner', '=', ask.ownerId))
    .select(MESSAGE)
    .execute();
}

function within(kysely: Kysely<Tables>, { state, thread, after, limit }: MessageAsk) {
  let query = kysely.selectFrom('messages').orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit);
  if (state !== undefined) query = query.where('state', '=', state);
  if (thread !== undefined) query = query.where('thread_id', '=', thread);
  if (after)
    query = query.where((is) =>
      is.or([
        is('created_at', '<', after.at),
        is.and([is('created_at', '=', after.at), is('id', '<', after.id)]),
      ]),
    );
  return query;
}

export interface ExecutionAsk {
  readonly ownerId: string | undefined;
  readonly agent: string | undefined;
  readonly cue: string | undefined;
  readonly status: ExecutionStatus | undefined;
  readonly source: ExecutionSource | undefined;
  readonly after: Place | undefined;
  readonly limit: number;
}

export async function executionsLately(reader: Reader, ask: ExecutionAsk): Promise<ListedExecution[]> {
  const { ownerId, agent, cue, status, source, after, limit } = ask;
  let query = reader
    .kysely<Tables>()
    .selectFrom('executions')
    .select(EXECUTION)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
  if (agent !== undefined) query = query.where('agent', '=', agent);
  if (cue !== undefined) query = query.where('cue_id', '=', cue);
  if (status !== undefined) query = query.where('status', '=', status);
  if (source !== undefined) query = query.where('source', '=', source);
  if (after)
    query = query.where((is) =>
      is.or([
        is('created_at', '<', after.at),
        is.and([is('created_at', '=', after.at), is('id', '<', after.id)]),
      ]),
    );
  return await query.execute();
}

/** Suffixes, newest first. */
export async function agentsLately(
  reader: Reader,
  { ownerId, after, limit }: { ownerId: string | undefined; after: Place | undefined; limit: number },
): Promise<{ agent: string; created_at: number }[]> {
  let query = reader
    .kysely<Tables>()
    .selectFrom('agent_delivery')
    .select(['agent', 'created_at'])
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('agent', 'desc')
    .limit(limit);
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
  if (after)
    query = query.where((is) =>
      is.or([
        is('created_at', '<', after.at),
        is.and([is('created_at', '=', after.at), is('agent', '<', after.id)]),
      ]),
    );
  return await query.execute();
}

/** Whose a message, an execution or a cue is: the recipient's owner, or that of the cue. */
export async function ownerOf(
  reader: Reader,
  id: string,
): Promise<{ owner: string; other?: string } | undefined> {
  if (id.startsWith('msg_'))
    return await reader.get(
      sql`SELECT recipient_owner AS owner, sender_owner AS other FROM messages WHERE id = ${id}`,
    );
  if (id.startsWith('cue_'))
    return await reader.get(sql`SELECT owner_id AS owner FROM cues WHERE id = ${id}`);
  return await reader.get(sql`SELECT owner_id AS owner FROM executions WHERE id = ${id}`);
}
