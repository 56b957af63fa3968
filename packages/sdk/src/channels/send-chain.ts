import type { ChainMark } from '@parley/protocol/channels/content';
import { type CryptoSource, randomHex, sha256Hex } from '@parley/protocol/channels/key';

export interface ChainState {
  sid: string;
  /** Number of the last message. */
  seq: number;
  prev?: string | undefined;
}

/** The sender's side of the sequence: every message carries its number and the hash of the one before. */
export class SendChain {
  #state: ChainState;
  readonly #crypto: CryptoSource;

  constructor(crypto: CryptoSource = globalThis.crypto, state: ChainState = newRun(crypto)) {
    this.#crypto = crypto;
    this.#state = state;
  }

  next(now: number): ChainMark {
    const { sid, seq, prev } = this.#state;
    return { sid, seq: seq + 1, ts: now, ...(prev === undefined ? {} : { prev }) };
  }

  /** Also after an unknown outcome: if the message was lost after all, receivers are right to report a gap. */
  async sent(mark: ChainMark, blob: string): Promise<void> {
    this.#state = { sid: mark.sid, seq: mark.seq, prev: await blobHash(blob, this.#crypto) };
  }

  /** The log was emptied: a reader that starts with the new one must not miss what was in the old one. */
  restart(): void {
    this.#state = newRun(this.#crypto);
  }

  state(): ChainState {
    return { ...this.#state };
  }
}

/** Half of the SHA-256 of the sealed text, in hex. */
export async function blobHash(blob: string, crypto: CryptoSource = globalThis.crypto): Promise<string> {
  return (await sha256Hex(blob, crypto)).slice(0, 32);
}

function newRun(crypto: CryptoSource): ChainState {
  return { sid: randomHex(4, crypto), seq: 0 };
}
