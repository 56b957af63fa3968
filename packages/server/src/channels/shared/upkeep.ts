import type { RosterEntry } from '@parley/protocol/channels/types';
import { CREATE_SHARE } from '../creators.ts';
import type { ListedChannel } from '../listed-channel.ts';
import type { ChannelSettings } from '../settings.ts';
import type { ChannelBook } from './book.ts';
import type { Reply } from './replies.ts';

export interface UpkeepOptions {
  readonly settings: ChannelSettings;
  readonly book: ChannelBook;
  readonly run: (step: 'expire' | 'list' | 'squeeze', channelId: string) => Promise<Reply>;
}

/** What looks at every channel: the sweep, making room when all together hold too much, and the list of them. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  #squeezing: Promise<void> | undefined;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** One node lets the clock act on all channels, for all nodes; on the way it counts what they hold. */
  async sweep(): Promise<void> {
    const { book, settings } = this.#options;
    if (!(await book.isMyTurn(settings.sweepMs))) return;
    await book.refresh();
    const before = book.totals;
    const counted: [number, number, number, number, number] = [0, 0, 0, 0, 0];
    for await (const some of this.#each('expire')) {
      await book.forget(some.flatMap(([id, [code]]) => (code === 'ok' ? [] : [id])));
      for (const [, [code, , state, members, length, bytes]] of some) {
        if (code !== 'ok') continue;
        counted[0] += 1;
        counted[1] += state === 'asleep' ? 1 : 0;
        counted[2] += Number(members);
        counted[3] += Number(length);
        counted[4] += Number(bytes);
      }
    }
    await book.settle();
    await book.correct(before, counted);
  }

  /** Over the global budget the channels that were quiet longest go, until a tenth of it is free again. */
  async keepWithinBudget(spared: string): Promise<void> {
    await (this.#squeezing ??= this.#squeeze(spared).finally(() => (this.#squeezing = undefined)));
  }

  /** Who, when and how much is in the channels of all nodes; the newest first. */
  async listing(most: number, now: number): Promise<ListedChannel[]> {
    const found: ListedChannel[] = [];
    for await (const some of this.#each('list')) {
      for (const [id, reply] of some) {
        if (reply[0] === 'ok') found.push(listedOf(id, reply, now, this.#options.settings));
      }
      if (found.length >= most) break;
    }
    return found.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, most);
  }

  /** Every channel with what the step answers for it, some at a time. */
  async *#each(step: 'expire' | 'list') {
    const { book, run } = this.#options;
    for await (const ids of book.ids()) {
      yield await Promise.all(ids.map(async (id) => [id, await run(step, id)] as const));
    }
  }

  async #squeeze(spared: string): Promise<void> {
    const { book, settings, run } = this.#options;
    await book.settle();
    if (book.retainedBytes <= settings.globalMaxBytes) return;
    const holding: { id: string; active: number }[] = [];
    for await (const some of this.#each('expire')) {
      for (const [id, [, , , , , bytes, active]] of some) {
        if (id !== spared && Number(bytes) > 0) holding.push({ id, active: Number(active) });
      }
    }
    for (const { id } of holding.toSorted((a, b) => a.active - b.active)) {
      if (book.retainedBytes <= settings.globalMaxBytes * CREATE_SHARE) return;
      await run('squeeze', id);
      await book.settle();
    }
  }
}

function listedOf(
  id: string,
  reply: Reply,
  now: number,
  { idleMs, hibernateMs, lifetimeMs }: ChannelSettings,
): ListedChannel {
  const [, , state, created, active, slept, bytes, messages, listeners, roster] = reply;
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
