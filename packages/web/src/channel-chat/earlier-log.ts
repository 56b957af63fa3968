import type { ChannelCipher } from '@parley/protocol/channels/envelope';
import type { ChannelApi } from './channel-api.ts';
import { Conversation } from './conversation.ts';
import type { Entry, MessageEntry } from './entry.ts';
import { Inbox } from './inbox.ts';
import { Peers } from './peers.ts';

const nothing = () => undefined;

export interface Past {
  readonly entries: readonly Entry[];
  /** What those who were there said about themselves. */
  readonly peers: Peers;
}

/** What the channel still holds from before. Read as if one had been there, by somebody who answers nobody. */
export class EarlierLog {
  readonly #api: ChannelApi;
  readonly #participantId: string;
  readonly #conversation = new Conversation([]);
  readonly #peers = new Peers();
  readonly #inbox: Inbox;

  constructor(api: ChannelApi, cipher: ChannelCipher, participantId: string) {
    this.#api = api;
    this.#participantId = participantId;
    this.#inbox = new Inbox({
      name: '',
      challenge: '',
      cipher,
      conversation: this.#conversation,
      peers: this.#peers,
      outbox: { confirm: nothing },
      isReader: true,
      fromStart: true,
      arrived: nothing,
      answer: nothing,
      heard: nothing,
    });
  }

  /** Everything before that event. */
  async read(end: number): Promise<Past> {
    for (let at = 0; at < end; ) {
      const page = await this.#api.poll(this.#participantId, at, 0);
      const events = page?.messages ?? [];
      if (events.length === 0) break;
      for (const event of events) if (event.index < end) await this.#inbox.take(event);
      at = page?.cursor ?? end;
    }
    return { entries: this.#conversation.entries, peers: this.#peers };
  }
}

/**
 * The log in place of what was seen of it. What only this page knows stays: which words are its own, those still under way,
 * and warnings.
 */
export function withEarlier(past: readonly Entry[], shown: readonly Entry[], ownName: string): Entry[] {
  const lastAt = past.at(-1)?.at ?? 0;
  const byIndex = new Map<number, MessageEntry>();
  for (const entry of past) if (entry.kind === 'message') byIndex.set(entry.index, entry);
  const kept = shown.filter((entry) => {
    if (entry.kind === 'line') return entry.at > lastAt || entry.tone !== 'soft';
    if (byIndex.get(entry.index)?.text !== entry.text) return true;
    byIndex.set(entry.index, entry);
    return false;
  });
  const merged = past.map((entry) => {
    if (entry.kind === 'line') return entry;
    const known = byIndex.get(entry.index) ?? entry;
    return known === entry ? { ...entry, aside: entry.to === ownName } : known;
  });
  merged.push(...kept);
  merged.sort((one, other) => one.at - other.at);
  return merged;
}
