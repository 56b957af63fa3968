import * as routes from '@parley/protocol/delivery/message-routes';
import type { MessageState } from '@parley/protocol/delivery/vocabulary';
import type { Calls } from '../calling.ts';
import { Patience } from '../patience.ts';
import type { Message } from './messages.ts';

const WAIT_SECONDS = 10;
const PAGE = 100;
/** Two of one moment may become visible one after the other: so far back is looked again. */
const OVERLAP_MS = 10_000;
/** Whatever nobody has fetched. A message that was sent to come later is among these, however long ago it was written. */
const UNSEEN: readonly MessageState[] = ['queued', 'delivering', 'retry_ready', 'claimed', 'failed'];
const unseenOnly = { state: UNSEEN.join(',') };

export interface Followed {
  readonly agent: string;
  readonly from: string | undefined;
  /** What is told stays as undelivered as it was. */
  readonly peek: boolean | undefined;
  readonly signal: AbortSignal;
}

/**
 * What is open now, oldest first, then what comes. The server holds a call until there is something newer. Then everything is asked for
 * that may be new, page by page, and told once, by its id: however often the connection is lost in between and however much came
 * meanwhile.
 */
export async function* followInbox(
  caller: Calls,
  { agent, from, peek, signal }: Followed,
): AsyncGenerator<Message[]> {
  const patience = new Patience(signal);
  const told = new Set<string>();
  let newest: string | undefined;
  let someUnseen = false;

  const ask = async (query: object): Promise<Message[]> => {
    const all = { peek, counterpart: from, limit: PAGE, ...query };
    const { messages } = await caller.call<{ messages: Message[] }>(routes.inbox, {
      path: [agent],
      query: all,
      signal,
    });
    return messages;
  };
  const askAll = async (query: object): Promise<Message[]> => {
    const all: Message[] = [];
    for (let offset = 0; ; offset += PAGE) {
      const page = await ask({ ...query, offset });
      all.push(...page);
      if (page.length < PAGE) return all;
    }
  };
  /** What nobody fetches, as with `peek`, would end such a wait at once. */
  const wait = async (since: string): Promise<void> => {
    const something = someUnseen ? { since } : unseenOnly;
    await ask({ ...something, limit: 1, wait: WAIT_SECONDS, peek: true });
  };
  const look = async (): Promise<Message[]> => {
    if (newest === undefined) return await askAll({});
    const since = new Date(Date.parse(newest) - OVERLAP_MS).toISOString();
    return [...(await askAll({ since })), ...(await askAll(unseenOnly))];
  };

  while (!signal.aborted) {
    try {
      if (newest !== undefined) await wait(newest);
      const found = await look();
      patience.answered();
      const times = found.map(({ created_at: at }) => at).toSorted();
      newest = [newest ?? new Date(0).toISOString(), times.at(-1) ?? ''].toSorted().at(-1);
      const news = new Map(found.filter(({ id }) => !told.has(id)).map((message) => [message.id, message]));
      for (const id of news.keys()) told.add(id);
      someUnseen = found.some(({ delivery_state: state }) => UNSEEN.includes(state));
      if (news.size > 0) yield [...news.values()].toSorted(byTime);
    } catch (error) {
      await patience.after(error);
    }
  }
}

const byTime = (one: Message, other: Message): number => (one.created_at < other.created_at ? -1 : 1);
