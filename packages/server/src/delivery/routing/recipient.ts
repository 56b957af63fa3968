import type { AgentStatus, BeatState, Channel, InboundPolicy } from '@parley/protocol/delivery/vocabulary';
import type { Tx } from '../../platform/database/database.ts';
import type { AttestingSession } from '../sessions/attestation.ts';
import type { TargetCandidate } from './freshness.ts';

/** An agent with everything that routing and permission ask about it, as of now. */
export interface Recipient {
  readonly suffix: string;
  readonly ownerId: string;
  readonly ownerSlug: string;
  readonly slug: string;
  /** Declared, or derived when never declared. */
  readonly capabilities: readonly Channel[];
  readonly preferred: Channel | null;
  readonly webhookUrl: string | null;
  readonly inboundPolicy: InboundPolicy;
  readonly inboundAllow: readonly string[];
  readonly background: BackgroundTarget;
  /** The background agent this one is the live sibling of. */
  readonly parent: ParentTarget | null;
  /** The attached ones. */
  readonly sessions: readonly AttachedSession[];
}

/** One of a list, with what it is called, says of itself and when it was last stored to have been seen. */
export interface ListedRecipient {
  readonly recipient: Recipient;
  readonly name: string;
  readonly status: AgentStatus;
  readonly lastSeenAt: number | null;
}

/** Who would take a bg push, and when it was last heard of. */
export interface BackgroundTarget {
  readonly task: string;
  readonly beat: BeatState;
  readonly beatAt: number | null;
}

export interface ParentTarget {
  readonly suffix: string;
  readonly takesBg: boolean;
  readonly background: BackgroundTarget;
}

/** `beatAt` is the latest sign of life by any way, a heartbeat file included. */
export interface AttachedSession extends AttestingSession, TargetCandidate {
  readonly id: string;
  readonly cueId: string;
}

/** What agents tell messages, in the transaction of the change. */
export interface PushObserver {
  /** Its open offers fall back at once. */
  sessionDetached(tx: Tx, session: { readonly id: string; readonly agent: string }): Promise<void>;
  /** It attached, beat after it was stale, or became the default: what was held for a live session can be offered. */
  sessionFresh(tx: Tx, session: { readonly id: string; readonly agent: string }): Promise<void>;
  /** Its pending pushes close. */
  agentDeleted(tx: Tx, agent: string): Promise<void>;
}
