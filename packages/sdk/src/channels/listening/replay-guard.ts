import type { ChainMark } from '@parley/protocol/channels/content';
import { BoundedMap } from '../bounded.ts';

// A channel ends after 10 000 events by default, so this is the memory of two whole channels.
const NONCES = 20_000;
const SENDERS = 1_000;
/** How many nonces are worth carrying over into the next run of the program. */
const KEPT_NONCES = 1_000;
/** Twelve bytes are exactly sixteen base64 characters. */
const NONCE_UNITS = 16;

export interface ReplayMemory {
  nonces: [nonce: string, index: number][];
  heads: [sender: string, head: Head][];
}

interface Head {
  seq: number;
  hash: string;
}

/**
 * The receiver's side: the seal proves who wrote a message, not that it comes once, in order and with all the others.
 * Nonces catch repeats; the senders' own numbers, where they give them, show what was held back.
 */
export class ReplayGuard {
  readonly #nonces: BoundedMap<number>;
  readonly #heads: BoundedMap<Head>;
  #fromStart: boolean;

  /** `fromStart`: this reader has seen the log from its first event, so every run of numbers must begin with 1. */
  constructor({ fromStart, memory }: { fromStart: boolean; memory?: ReplayMemory | undefined }) {
    this.#fromStart = fromStart;
    this.#nonces = new BoundedMap(NONCES, memory?.nonces);
    this.#heads = new BoundedMap(SENDERS, memory?.heads);
  }

  /** `again`: the same event was read before, as happens when a client reads the log a second time. */
  check(blob: string, index: number): 'new' | 'again' | 'replayed' {
    const nonce = blob.slice(0, NONCE_UNITS);
    const seenAt = this.#nonces.get(nonce);
    if (seenAt !== undefined) return seenAt === index ? 'again' : 'replayed';
    this.#nonces.set(nonce, index);
    return 'new';
  }

  /** How many messages of this sender are missing before this one. */
  missing(from: string, mark: ChainMark, hash: string): number {
    // Without a run id two processes of one sender would count against each other.
    if (mark.sid === '') return 0;
    const sender = `${mark.sid} ${from}`;
    const head = this.#heads.get(sender);
    if (head && mark.seq <= head.seq) return 0;
    this.#heads.set(sender, { seq: mark.seq, hash });
    if (!head) return this.#fromStart ? mark.seq - 1 : 0;
    if (mark.seq > head.seq + 1) return mark.seq - head.seq - 1;
    // The number fits but the message before is not the one we got: one was swapped.
    return mark.prev !== undefined && mark.prev !== head.hash ? 1 : 0;
  }

  /** The log started anew. Old nonces stay: an old message in the new log is a replay. */
  restart(): void {
    this.#heads.clear();
    this.#fromStart = false;
    for (const [nonce] of this.#nonces.entries()) this.#nonces.set(nonce, -1);
  }

  memory(): ReplayMemory {
    return { nonces: this.#nonces.entries(KEPT_NONCES), heads: this.#heads.entries() };
  }
}
