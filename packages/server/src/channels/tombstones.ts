import type { EvictionReason } from '@parley/protocol/channels/errors';
import type { HeldSecret } from '../platform/auth/held-secret.ts';
import { keepNewest } from '../platform/newest.ts';
import { EVICTION_MEMORY_CHANNELS, EVICTION_MEMORY_MS } from '@parley/protocol/channels/limits';

interface Tombstone {
  token: HeldSecret;
  reason: EvictionReason;
  at: number;
}

/** Why a channel is gone, remembered for a day for those who have its token. */
export class Tombstones {
  readonly #stones = new Map<string, Tombstone>();

  bury(channelId: string, stone: Tombstone): void {
    keepNewest(this.#stones, channelId, stone, EVICTION_MEMORY_CHANNELS);
  }

  find(channelId: string, now: number): Tombstone | undefined {
    const stone = this.#stones.get(channelId);
    return stone && now - stone.at < EVICTION_MEMORY_MS ? stone : undefined;
  }

  has(channelId: string): boolean {
    return this.#stones.has(channelId);
  }

  /** They are in order of age, so forgetting stops at the first young one. */
  forgetOld(now: number): void {
    for (const [channelId, stone] of this.#stones) {
      if (now - stone.at < EVICTION_MEMORY_MS) return;
      this.#stones.delete(channelId);
    }
  }
}
