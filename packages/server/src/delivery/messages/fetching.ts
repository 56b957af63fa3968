import { sql as raw } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { statusAfter, statusesTaking, takes } from '../execution-states.ts';
import type { ExecutionRow } from '../executions/execution-row.ts';
import { nextMessageState, stateAfter } from '../message-states.ts';
import { traceStep } from '../trace.ts';
import { topics, type Wakes } from '../wakes.ts';
import { viewsOf } from './box-store.ts';
import { movedDeltas } from './message-moves.ts';
import type { MessageRow, MessageView } from './message-row.ts';
import type { Tallies } from './tallies.ts';

export interface FetchingOptions {
  database: Database;
  clock: Clock;
  tallies: Tallies;
  wakes: Wakes;
}

const DELIVERED = stateAfter('fetched');
const FETCHED = statusAfter('fetched');
const FETCHABLE = statusesTaking('fetched');

interface Tables {
  messages: MessageRow;
  executions: ExecutionRow;
}

/**
 * Hands a page of an inbox over: a few statements for the whole page. Looking must not steal a push that somebody is asked
 * to take, so what is offered live or in the background stays as it is; a webhook not yet under way is spared.
 */
export class Fetching {
  readonly #options: FetchingOptions;

  constructor(options: FetchingOptions) {
    this.#options = options;
  }

  /** The page as it is once its messages count as delivered. */
  async deliver(page: readonly MessageView[]): Promise<readonly MessageView[]> {
    const { database, clock } = this.#options;
    const ids = page.filter(waitsForFetch).map(({ id }) => id);
    if (ids.length === 0) return page;
    const now = clock.now();
    const taken = await database.write((tx) => this.#take(tx, ids, now));
    // Another poll was faster with these; they are shown as it left them.
    const others = await viewsOf(
      database.read,
      ids.filter((id) => !taken.has(id)),
    );
    const changed = new Map(others.map((message) => [message.id, message]));
    return page.map((message) =>
      taken.has(message.id) ? fetched(message, now) : (changed.get(message.id) ?? message),
    );
  }

  async #take(tx: Tx, ids: readonly string[], now: number): Promise<ReadonlySet<string>> {
    const { tallies, wakes } = this.#options;
    const kysely = tx.kysely<Tables>();
    const messages = (await this.#locked(tx, ids)).filter(waitsForFetch);
    if (messages.length === 0) return new Set();
    const taken = messages.map(({ id }) => id);
    const executions = messages.map((message) => message.execution_id);
    await kysely
      .updateTable('messages')
      .set((column) => ({
        state: DELIVERED,
        delivered_at: column.fn.coalesce('delivered_at', raw.val(now)),
        updated_at: now,
      }))
      .where('id', 'in', taken)
      .execute();
    const step = JSON.stringify(traceStep(now, 'recipient', 'fetched'));
    await kysely
      .updateTable('executions')
      .set({
        status: FETCHED,
        held: 0,
        route: raw<ExecutionRow['route']>`CASE WHEN channel = 'inbox' THEN route ELSE 'inbox_direct' END`,
        channel: 'inbox',
        next_retry_at: null,
        delivered_at: now,
        trace: raw<string>`substr(trace, 1, length(trace) - 1) || CAST(${`,${step}]`} AS text)`,
        updated_at: now,
      })
      .where('id', 'in', executions)
      .where('status', 'in', FETCHABLE)
      .execute();
    await tallies.add(
      tx,
      messages.flatMap((message) => movedDeltas(message, DELIVERED)),
    );
    wakes.after(tx, ...executions.map(topics.execution));
    return new Set(taken);
  }

  /** In one order for all, so that two polls of the same rows do not wait for each other. */
  async #locked(tx: Tx, ids: readonly string[]) {
    const query = tx
      .kysely<Tables>()
      .selectFrom('messages')
      .innerJoin('executions', 'executions.id', 'messages.execution_id')
      .select([
        'messages.id',
        'messages.sender',
        'messages.recipient',
        'messages.state',
        'messages.queued_at',
        'messages.execution_id',
        'executions.channel',
      ])
      .where('messages.id', 'in', ids)
      .orderBy('messages.id');
    return await (this.#options.database.dialect === 'postgres'
      ? query.forUpdate('messages')
      : query
    ).execute();
  }
}

function waitsForFetch({ state, channel }: Pick<MessageView, 'state' | 'channel'>): boolean {
  const pushed = state === 'queued' && (channel === 'live' || channel === 'bg');
  return !pushed && nextMessageState(state, 'fetched') !== undefined;
}

function fetched(message: MessageView, now: number): MessageView {
  return {
    ...message,
    state: DELIVERED,
    delivered_at: message.delivered_at ?? now,
    updated_at: now,
    status: takes(message.status, 'fetched') ? FETCHED : message.status,
    held: 0,
    channel: 'inbox',
    route: message.channel === 'inbox' ? message.route : 'inbox_direct',
  };
}
