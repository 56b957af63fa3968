import type { Tx } from '../platform/database/database.ts';

/** What is to be posted to an agent's webhook. Everything else is read when it is sent. */
export interface WebhookPush {
  readonly executionId: string;
  readonly messageId: string;
  readonly ownerId: string;
  readonly agent: string;
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
  readonly ownerId: string;
  readonly messageId: string;
  readonly executionId: string;
  readonly at: number;
}
