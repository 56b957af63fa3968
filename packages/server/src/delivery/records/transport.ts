import type { Tx } from '../../platform/database/database.ts';

/** What is to be posted to an agent's webhook. Everything else is read when it is sent. */
export interface WebhookPush {
  readonly executionId: string;
  readonly messageId: string;
  readonly ownerId: string;
}

/** How pushes leave the server. Queued in the transaction that routed them; sent after its commit. */
export interface Transport {
  queue(tx: Tx, push: WebhookPush): Promise<void>;
}

/** Somebody is to be woken by what was just stored, in the same transaction. */
export interface WakeSink {
  wake(tx: Tx, wake: MessageWake): Promise<void> | void;
}

export interface MessageWake {
  readonly agent: string;
  readonly messageId: string;
}

/** Where transports and sinks register once they exist: they need what needs them. */
export class Outlets implements Transport, WakeSink {
  readonly #transports: Transport[] = [];
  readonly #sinks: WakeSink[] = [];

  carryBy(transport: Transport): void {
    this.#transports.push(transport);
  }

  alsoWake(sink: WakeSink): void {
    this.#sinks.push(sink);
  }

  async queue(tx: Tx, push: WebhookPush): Promise<void> {
    for (const transport of this.#transports) await transport.queue(tx, push);
  }

  async wake(tx: Tx, wake: MessageWake): Promise<void> {
    for (const sink of this.#sinks) await sink.wake(tx, wake);
  }
}
