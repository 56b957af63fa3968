import type { Tx } from '../../platform/database/database.ts';
import type { NextAttempt, RetryPolicy } from './retry-schedule.ts';
import type { SigningSecrets } from '../../platform/outbound/webhook-signer.ts';

/** The kind of job that carries a `Delivery`. */
export const WEBHOOK_JOB = 'delivery.webhook';

/** What delivered things there are to be; each has its own body, secret and consequences. */
export type DeliveryKind = 'message' | 'cue' | 'subscription' | 'alert' | 'on_failure';

/** One thing on its way to an endpoint, as it is stored from its cause to its end. */
export interface Delivery {
  /** The same over all attempts: receivers drop repeats by it. */
  readonly id: string;
  readonly ownerId: string;
  readonly kind: DeliveryKind;
  /** The message, alert or subscription behind it. */
  readonly ref: string;
  readonly executionId: string | null;
  /** Only for what cannot be made again when it is sent. */
  readonly body: string | null;
}

/** A delivery of which an attempt has begun. */
export interface RunningDelivery extends Delivery {
  /** From 1. An attempt cut short by a crash counts. */
  readonly attempt: number;
}

/** A request as it is to be sent now. */
export interface Outgoing {
  readonly url: string;
  readonly secrets: SigningSecrets;
  readonly body: string;
  /** Beside those that every request carries. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly retries: RetryPolicy;
  /** POST when left out. A GET has no body, and signs that. */
  readonly method?: 'POST' | 'GET' | 'PUT' | 'PATCH';
}

/** What came of an attempt. */
export interface AttemptReport {
  readonly next: NextAttempt;
  readonly status: number | null;
  /** As much of the answer as is looked at; null without one. */
  readonly answer: string | null;
  readonly latencyMs: number;
  /** Where it was sent; null where there was nowhere. */
  readonly url: string | null;
}

/** What the transport asks of each kind. */
export interface WebhookKind {
  readonly kind: DeliveryKind;
  /** An attempt begins. False, when there is nothing to send any more. */
  begin(tx: Tx, delivery: RunningDelivery): Promise<boolean>;
  /** Read at the last moment: URL and secret are the ones of now. Undefined when there is no endpoint any more. */
  compose(delivery: RunningDelivery): Promise<Outgoing | undefined>;
  /** False, when another attempt is not wanted although the schedule has one; a time, when it is wanted at that one. */
  record(tx: Tx, delivery: RunningDelivery, report: AttemptReport): Promise<boolean | number>;
}
