import { CREATE_SHARE } from '../creators.ts';
import type { ChannelSettings } from '../settings.ts';
import type { ChannelBook } from './book.ts';
import type { Reply } from './replies.ts';

export interface UpkeepOptions {
  readonly settings: ChannelSettings;
  readonly book: ChannelBook;
  readonly run: (step: 'expire' | 'squeeze', channelId: string) => Promise<Reply>;
}

/** What looks at every channel: the sweep, and making room when all together hold too much. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  #squeezing: Promise<void> | undefined;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** One node lets the clock act on all channels, for all nodes; on the way it counts what they hold. */
  async sweep(): Promise<void> {
    const { book, settings, run } = this.#options;
    if (!(await book.isMyTurn(settings.sweepMs))) return;
    await book.refresh();
    const before = book.totals;
    const counted: [number, number, number, number, number] = [0, 0, 0, 0, 0];
    for await (const ids of book.ids()) {
      const replies = await Promise.all(ids.map((id) => run('expire', id)));
      await book.forget(ids.filter((_, at) => replies[at]?.[0] !== 'ok'));
      for (const [code, , state, members, length, bytes] of replies) {
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

  async #squeeze(spared: string): Promise<void> {
    const { book, settings, run } = this.#options;
    await book.settle();
    if (book.retainedBytes <= settings.globalMaxBytes) return;
    const holding: { id: string; active: number }[] = [];
    for await (const ids of book.ids()) {
      const replies = await Promise.all(ids.map((id) => run('expire', id)));
      for (const [at, id] of ids.entries()) {
        const [, , , , , bytes, active] = replies[at] ?? [];
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
