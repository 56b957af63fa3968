import { statfs } from 'node:fs/promises';
import type { Parts } from '../parts.ts';

/** Bytes left where the store is; undefined where the system does not say. */
export type FreeBytes = () => Promise<number | undefined>;

export interface FreeDiskOptions extends Pick<Parts, 'log' | 'metrics' | 'wheel'> {
  freeBytes: FreeBytes;
  /** Less than this is low; 0 switches the watch off. */
  least: number;
}

const EVERY_MS = 10_000;

/**
 * Tells early that the disk runs full: while there is room to end in order, what would store more is refused, and what is
 * stored can be read, acknowledged and deleted. A write that fails for want of room could be anybody's.
 */
export class FreeDisk {
  readonly #options: FreeDiskOptions;
  #free: number | undefined;
  #low = false;

  constructor(options: FreeDiskOptions) {
    this.#options = options;
    options.metrics.gauge('parley_disk_free_bytes', 'Bytes left where the store is', () => this.#free ?? -1);
  }

  get isLow(): boolean {
    return this.#low;
  }

  /** Bytes left; undefined where nobody looks, or the system does not say. */
  get free(): number | undefined {
    return this.#free;
  }

  get told(): string {
    const free = Math.floor((this.#free ?? 0) / MIB);
    const least = Math.ceil(this.#options.least / MIB);
    return `The server's disk is nearly full (${free} MiB left, ${least} wanted: PARLEY_MIN_FREE_DISK_MB). Nothing new is stored until there is room; reading and acknowledging go on.`;
  }

  /** Looks now and from then on. Returns what ends it. */
  async start(): Promise<() => void> {
    if (this.#options.least === 0) return () => {};
    await this.look();
    const { wheel } = this.#options;
    const entry = wheel.add(EVERY_MS, () => {
      void this.look();
      wheel.start(entry, EVERY_MS);
    });
    return () => wheel.cancel(entry);
  }

  async look(): Promise<void> {
    const { freeBytes, least, log } = this.#options;
    this.#free = await freeBytes().catch(() => undefined);
    const low = this.#free !== undefined && this.#free < least;
    if (low === this.#low) return;
    this.#low = low;
    if (low) log.error('disk_low', { free_bytes: this.#free, least_bytes: least });
    else log.info('disk_has_room', { free_bytes: this.#free });
  }
}

export const MIB = 1024 * 1024;

export const freeBytesAt =
  (directory: string): FreeBytes =>
  async () => {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  };
