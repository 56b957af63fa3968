import type { AgentStatus, BeatState, Channel, InboundPolicy } from '@parley/protocol/delivery/vocabulary';
import type { Reader, Tx } from '../../platform/database/database.ts';
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

/** What messages ask of agents. */
export interface Recipients {
  /** By suffix, deleted ones not. Inside a transaction it sees what that has changed. */
  find(reader: Reader, suffix: string): Promise<Recipient | undefined>;
  /** Many at once, for lists: a few statements, however many they are. */
  findAll(reader: Reader, suffixes: readonly string[]): Promise<ReadonlyMap<string, ListedRecipient>>;
  /** False when the agent was deleted; else it stays until the commit. */
  hold(tx: Tx, suffix: string): Promise<boolean>;
  /** Of agents with background handlers and of live sessions, by suffix and id: those not heard of for too long. */
  silent(
    reader: Reader,
    asked: { readonly handlers: readonly string[]; readonly sessions: readonly string[] },
  ): Promise<ReadonlySet<string>>;
  /** The attached sessions of an agent. */
  sessions(reader: Reader, suffix: string): Promise<readonly AttachedSession[]>;
  /** Those of an owner that were attached for a cue without an agent, or for its task. */
  sessionsForCue(
    reader: Reader,
    ownerId: string,
    cue: { readonly cueId: string; readonly task: string | null },
  ): Promise<readonly AttachedSession[]>;
  /** False when the session is not attached any more; else it stays attached until the commit. */
  holdSession(tx: Tx, sessionId: string): Promise<boolean>;
  /** Nobody attaches or detaches a session of the agent before the commit. */
  lockSessions(tx: Tx, suffix: string): Promise<void>;
  /** `slug@owner` by suffix, deleted agents too: whoever spoke keeps a name. */
  addresses(reader: Reader, suffixes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** A session has claimed: that is a sign of life. */
  claimed(tx: Tx, sessionId: string): Promise<void>;
  /** A worker of the owner beats for the agents it handles, named by bg task, slug or address. */
  handlersBeat(tx: Tx, ownerId: string, handlers: readonly string[]): Promise<void>;
  /** The agent did something. Written later, together with others: no request waits for it. */
  seen(suffix: string): void;
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
