import type { ExecutionSource } from '@parley/protocol/delivery/vocabulary';
import type { Tx } from '../../platform/database/database.ts';
import type { ExecutionRow } from './execution-row.ts';
import type { MessageRow } from './message-row.ts';

/** What is to be posted to a webhook. Everything else is read when it is sent. */
export interface WebhookPush {
  readonly source: ExecutionSource;
  readonly executionId: string;
  readonly messageId: string | null;
  readonly ownerId: string;
}

/** How pushes leave the server. Queued in the transaction that routed them; sent after its commit. */
export interface Transport {
  readonly carries: ExecutionSource;
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

/** The same for the fire of a cue. */
export interface CueWakeSink {
  wakeByCue(tx: Tx, wake: { readonly agent: string; readonly executionId: string }): void;
}

/** Turns the fire of a cue into a message to its agent, once it ends up in the inbox. */
export interface LetterWriter {
  write(tx: Tx, execution: ExecutionRow): Promise<MessageRow>;
}

/** Where transports and sinks register once they exist: they need what needs them. */
export class Outlets implements WakeSink, CueWakeSink {
  readonly #transports: Transport[] = [];
  readonly #sinks: WakeSink[] = [];
  readonly #cueSinks: CueWakeSink[] = [];
  #letters: LetterWriter | undefined;

  carryBy(transport: Transport): void {
    this.#transports.push(transport);
  }

  alsoWake(sink: WakeSink): void {
    this.#sinks.push(sink);
  }

  alsoWakeByCue(sink: CueWakeSink): void {
    this.#cueSinks.push(sink);
  }

  writeLettersBy(writer: LetterWriter): void {
    this.#letters = writer;
  }

  async queue(tx: Tx, push: WebhookPush): Promise<void> {
    for (const transport of this.#transports) {
      if (transport.carries === push.source) await transport.queue(tx, push);
    }
  }

  async wake(tx: Tx, wake: MessageWake): Promise<void> {
    for (const sink of this.#sinks) await sink.wake(tx, wake);
  }

  wakeByCue(tx: Tx, wake: { readonly agent: string; readonly executionId: string }): void {
    for (const sink of this.#cueSinks) sink.wakeByCue(tx, wake);
  }

  async letter(tx: Tx, execution: ExecutionRow): Promise<MessageRow | undefined> {
    return await this.#letters?.write(tx, execution);
  }
}
