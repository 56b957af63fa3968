import type { RosterEntry } from '@parley/protocol/channels/types';
import type { Clock } from '../../platform/clock.ts';
import type { ListedChannel } from '../listed-channel.ts';
import type { ChannelSettings } from '../settings.ts';
import type { ChannelBook } from './book.ts';
import type { Reply } from './replies.ts';

export interface ListingOptions {
  readonly settings: ChannelSettings;
  readonly clock: Clock;
  readonly book: ChannelBook;
  readonly run: (channelId: string) => Promise<Reply>;
}

/** Who, when and how much is in the channels of all nodes; the newest first. */
export const listing =
  ({ settings, clock, book, run }: ListingOptions) =>
  async (most: number): Promise<ListedChannel[]> => {
    const found: ListedChannel[] = [];
    for await (const ids of book.ids()) {
      const replies = await Promise.all(ids.map(run));
      for (const [at, id] of ids.entries()) {
        const listed = listedOf(id, replies[at], clock.now(), settings);
        if (listed) found.push(listed);
      }
      if (found.length >= most) break;
    }
    return found.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, most);
  };

function listedOf(
  id: string,
  reply: Reply | undefined,
  now: number,
  { idleMs, hibernateMs, lifetimeMs }: ChannelSettings,
): ListedChannel | undefined {
  const [code, , state, created, active, slept, bytes, messages, listeners, roster] = reply ?? [];
  if (code !== 'ok') return undefined;
  const asleep = state === 'asleep';
  const present = JSON.parse(String(roster)) as RosterEntry[];
  const idleAt = asleep ? Number(slept) + hibernateMs : Number(active) + idleMs;
  return {
    id,
    state: asleep ? 'asleep' : state === 'closing' ? 'closing' : 'awake',
    participants: present.map(({ name, last_seen_s: ago }) => ({ name, seenAt: now - ago * 1000 })),
    messages: Number(messages),
    bytes: Number(bytes),
    listeners: Number(listeners),
    createdAt: Number(created),
    activeAt: Number(active),
    idleAt: Number(listeners) > 0 ? null : idleAt,
    endsAt: Number(created) + lifetimeMs,
  };
}
