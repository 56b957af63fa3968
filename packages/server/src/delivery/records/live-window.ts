import {
  type ExecutionStatus,
  type LiveFallbackMode,
  type LiveUnclaimedOutcome,
  type LiveUnclaimedReason,
  NO_FALLBACK,
  UNCLAIMED_EXPIRED,
} from '@parley/protocol/delivery/vocabulary';
import type { TokenVerdict } from '../sessions/attestation.ts';
import { takes } from './execution-states.ts';

const LIVE_HOLDER = 'live:';

/** A session that grace let in although none like it is attached. */
const UNNAMED = 'unnamed';

/** How a claim by a live session is recorded. */
export const liveHolder = (label: string | null): string => `${LIVE_HOLDER}${label ?? UNNAMED}`;

/** The label of the live session that holds a claim; null when it is not known, or something else does. */
export const labelOfHolder = (holder: string | null): string | null =>
  holder?.startsWith(LIVE_HOLDER) && holder !== liveHolder(null) ? holder.slice(LIVE_HOLDER.length) : null;

/**
 * What may happen to an execution while, and after, a live session is asked to take it. One
 * execution serves the whole journey. The store applies each answer as one compare-and-set on `status`, `claimed_by` and
 * the channel, so that exactly one of claim, live-claim and lapse takes an offer.
 *
 * | state | plain claim | live-claim with a good token | deadline or detach | expiry |
 * | --- | --- | --- | --- | --- |
 * | offered (pending, live) | taken, unattested | taken and attested | falls back or misses; `live_only` stays | `live_only`: missed |
 * | held (pending, live, no session) | – | taken and attested | – | missed |
 * | fell back, unclaimed | taken | taken back and attested | – | – |
 * | fell back and held by a handler, or being pushed | – | 409 | – | – |
 * | meant for a handler, which holds it | – | attested | – | – |
 * | taken, unattested | – | attested | – | – |
 * | attested | – | same token: same answer; other token: 409 | – | – |
 * | terminal or with an outcome | – | 409 | – | – |
 */
export interface OfferState {
  readonly status: ExecutionStatus;
  /** On the live channel. */
  readonly live: boolean;
  /** Another channel was wanted first. */
  readonly fellBack: boolean;
  readonly fallback: LiveFallbackMode;
  readonly claimedBy: string | null;
  /** When and with which token it was attested. */
  readonly attested: { readonly at: number; readonly tokenHash: string } | null;
  readonly hasOutcome: boolean;
}

/** Null: the offer has no end of its own. */
export const windowEnd = (now: number, windowMs: number, fallback: LiveFallbackMode): number | null =>
  fallback === 'live_only' ? null : now + windowMs;

/** Nobody claimed until then. At the deadline itself the window is over. */
export const hasElapsed = (deadlineAt: number | null, now: number): boolean =>
  deadlineAt !== null && now >= deadlineAt;

export type LapseCause = Extract<LiveUnclaimedReason, 'claim_window_elapsed' | 'session_detached'>;

export type Lapse =
  | { readonly kind: 'too_late' }
  | { readonly kind: 'stays' }
  | { readonly kind: 'falls_back'; readonly reason: LapseCause }
  | { readonly kind: 'missed'; readonly outcome: LiveUnclaimedOutcome; readonly reason: LiveUnclaimedReason };

const isOpenOffer = ({ status, live, claimedBy, attested }: OfferState): boolean =>
  status === 'pending' && live && claimedBy === null && attested === null;

export function lapse(offer: OfferState, cause: LapseCause): Lapse {
  if (!isOpenOffer(offer)) return { kind: 'too_late' };
  if (offer.fallback === 'live_only') return { kind: 'stays' };
  if (offer.fallback === 'background') return { kind: 'falls_back', reason: cause };
  return { kind: 'missed', outcome: NO_FALLBACK, reason: cause };
}

/** The message, or for a cue the longest wait, is over while the offer still stands. */
export function expire(offer: OfferState): Lapse {
  if (!isOpenOffer(offer) || offer.fallback !== 'live_only') return { kind: 'too_late' };
  return { kind: 'missed', outcome: UNCLAIMED_EXPIRED, reason: 'claim_window_elapsed' };
}

/** A claim by a worker. On a live offer it closes the window without attesting anything. */
export function mayClaim({ status, attested }: OfferState): boolean {
  return takes(status, 'claimed') && attested === null;
}

export type LiveClaimAnswer =
  | { readonly kind: 'attest'; readonly takes: boolean }
  | { readonly kind: 'repeat'; readonly at: number }
  | { readonly kind: 'not_attested'; readonly reason: 'token_mismatch' | 'proof_required' }
  | { readonly kind: 'refused'; readonly code: 'already_attested' | 'live_claim_window_closed' };

/** Checked in this order: write-once, token, state. Ownership came before. */
export function answerLiveClaim(
  offer: OfferState,
  tokenHash: string,
  verdict: TokenVerdict,
): LiveClaimAnswer {
  if (offer.attested !== null) {
    return offer.attested.tokenHash === tokenHash
      ? { kind: 'repeat', at: offer.attested.at }
      : { kind: 'refused', code: 'already_attested' };
  }
  if (!verdict.valid) return { kind: 'not_attested', reason: verdict.reason };
  const elsewhere = !offer.live && offer.status === 'delivering';
  // The work of a handler that was not asked in place of a session may be taken over by one. A request under way may not.
  const heldByHandler = elsewhere && (offer.fellBack || offer.claimedBy === null);
  if (offer.hasOutcome || CLOSED.has(offer.status) || heldByHandler) {
    return { kind: 'refused', code: 'live_claim_window_closed' };
  }
  return { kind: 'attest', takes: offer.claimedBy === null };
}

const CLOSED: ReadonlySet<ExecutionStatus> = new Set(['missed', 'failed', 'outcome_timeout']);
