import { isObject } from '@parley/protocol/json';
import { reasonOf } from '../bridge/failures.ts';
import type { Log } from '../bridge/log.ts';
import { readJsonObject, writePrivateJson } from '../bridge/kept/private-json.ts';
import { isPassing } from '../bridge/server-call.ts';

export type Stage = 'delivered' | 'invoked' | 'resumed';

/** A wake as the server calls it. */
export interface Named {
  readonly kind: string;
  readonly id: string;
}

export interface Receipt extends Named {
  readonly stage: Stage;
}

/** A server that is away for long is told the last of what happened. */
const KEPT = 500;

/** What the server has yet to be told about wakes: on disk, in order, until it took each. */
export class Receipts {
  readonly #path: string;
  readonly #send: (receipt: Receipt) => Promise<void>;
  readonly #log: Log;
  #pending: Receipt[];
  #sending: Promise<void> | undefined;

  constructor(path: string, log: Log, send: (receipt: Receipt) => Promise<void>) {
    this.#path = path;
    this.#log = log;
    this.#send = send;
    const { pending } = readJsonObject(path) ?? {};
    this.#pending = Array.isArray(pending) ? pending.filter(isReceipt) : [];
  }

  /** `names`: as the server calls the wake. */
  add(names: readonly Named[], stage: Stage): void {
    if (names.length === 0) return;
    const added = names.map(({ kind, id }) => ({ kind, id, stage }));
    this.#keep([...this.#pending, ...added].slice(-KEPT));
    void this.flush();
  }

  /** Sends what waits; what is not taken now is tried again with the next. */
  flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#pending[0]; next !== undefined; next = this.#pending[0]) {
      try {
        await this.#send(next);
      } catch (error) {
        this.#log.warn('receipt.failed', { delivery_id: next.id, reason: reasonOf(error) });
        if (isPassing(error)) return;
      }
      const sent = next;
      this.#keep(this.#pending.filter((one) => one !== sent));
    }
  }

  #keep(pending: Receipt[]): void {
    this.#pending = pending;
    writePrivateJson(this.#path, { pending });
  }
}

const isReceipt = (value: unknown): value is Receipt =>
  isObject(value) && ['kind', 'id', 'stage'].every((key) => typeof value[key] === 'string');
