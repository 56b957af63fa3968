import type { InboxQuery, SentQuery } from '@parley/protocol/delivery/types';
import { MESSAGE_STATES, type MessageState } from '@parley/protocol/delivery/vocabulary';
import type { Agents } from '../../identity/agents/agents.ts';
import type { Database } from '../../platform/database/database.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { OPEN_STATES } from '../records/message-states.ts';
import type { Recipients } from '../routing/recipient.ts';
import { topics, type Wakes } from '../records/wakes.ts';
import { type BoxFilter, countFiltered, filteredIds, openInbox, viewsOf } from './box-store.ts';
import type { Fetching } from './fetching.ts';
import type { MessageView } from '../records/message-row.ts';
import type { Tallies } from '../records/tallies.ts';

export interface BoxesOptions {
  database: Database;
  directory: Agents;
  recipients: Recipients;
  fetching: Fetching;
  tallies: Tallies;
  wakes: Wakes;
}

export interface BoxPage {
  readonly messages: readonly MessageView[];
  readonly total: number;
}

/** The messages to and from an agent (delivery §15). */
export class Boxes {
  readonly #options: BoxesOptions;

  constructor(options: BoxesOptions) {
    this.#options = options;
  }

  /** The agent named in the path and what is asked about its box. */
  async filter(ownerId: string, ref: string, box: BoxFilter['box'], query: SentQuery): Promise<BoxFilter> {
    const { directory } = this.#options;
    const { suffix } = await directory.resolveOwnOrDeleted(ownerId, ref);
    const states = statesOf(query.state, box === 'inbox' ? OPEN_STATES : MESSAGE_STATES);
    const counterpart =
      query.counterpart === undefined ? undefined : await directory.resolve(ownerId, query.counterpart);
    return {
      box,
      agent: suffix,
      states,
      since: query.since,
      threadId: query.thread_id,
      counterpart: counterpart?.suffix,
    };
  }

  async count(filter: BoxFilter): Promise<number> {
    const { database, tallies } = this.#options;
    const { since, threadId, counterpart, agent, box, states } = filter;
    const plain = since === undefined && threadId === undefined && counterpart === undefined;
    if (plain) return await tallies.total(database.read, agent, box, new Set(states));
    return await countFiltered(database.read, filter);
  }

  async sent(filter: BoxFilter, query: SentQuery): Promise<BoxPage> {
    const { read } = this.#options.database;
    const [ids, total] = await Promise.all([filteredIds(read, filter, query), this.count(filter)]);
    return { messages: await viewsOf(read, ids), total };
  }

  /** Holds an empty page until something comes. What is returned counts as delivered, unless one only peeks. */
  async inbox(filter: BoxFilter, query: InboxQuery, signal: AbortSignal): Promise<BoxPage> {
    const { recipients, wakes, fetching } = this.#options;
    recipients.seen(filter.agent);
    const look = async () => {
      const messages = await this.#page(filter, query);
      return { done: messages.length > 0, value: messages };
    };
    const topic = topics.inbox(filter.agent);
    const waitMs = (query.wait ?? 0) * 1000;
    const messages = waitMs === 0 ? (await look()).value : await wakes.hold({ topic, waitMs, signal, look });
    const total = await this.count(filter);
    // Whoever has gone away has not got them.
    if (query.peek || signal.aborted) return { messages, total };
    return { messages: await fetching.deliver(messages), total };
  }

  #page(filter: BoxFilter, query: InboxQuery): Promise<readonly MessageView[]> {
    const { read } = this.#options.database;
    const { states, threadId, counterpart, since = -1, agent } = filter;
    const usual = states === OPEN_STATES && threadId === undefined && counterpart === undefined;
    if (usual) return openInbox(read, agent, { since, limit: query.limit, offset: query.offset });
    return filteredIds(read, filter, query).then((ids) => viewsOf(read, ids));
  }
}

const isState = (word: string): word is MessageState => MESSAGE_STATES.some((state) => state === word);

function statesOf(text: string | undefined, otherwise: readonly MessageState[]): readonly MessageState[] {
  if (text === undefined) return otherwise;
  const words = text.split(',').map((word) => word.trim());
  const states = [...new Set(words)].filter(isState);
  if (states.length !== new Set(words).size) {
    throw new DeliveryError('invalid_state_filter', `state may hold ${MESSAGE_STATES.join(', ')}`);
  }
  return states;
}
