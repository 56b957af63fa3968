import { PROVEN_STAGES, type ProvenStage } from '@parley/protocol/delivery/vocabulary';
import type { RoutingAction } from '../routing/routing.ts';
import type { MessageEvent } from './message-states.ts';

/**
 * How far a message provably came. A fact about the past, kept in a column of its own: a lost lease, a detach or a new way
 * change where the message is, never how far it once was. Each stage needs an event of its own, so the sender is never
 * told more than happened.
 *
 * | stage | proof |
 * | --- | --- |
 * | `stored` | it is on disk |
 * | `offered` | a live offer, a claimable push or a webhook attempt was made, or it lies in the inbox |
 * | `delivered` | its text reached the recipient: fetched, listed in an inbox page, the webhook answered 2xx, or a bridge of its has it |
 * | `invoked` | a bridge says that it started the agent with it |
 * | `claimed` | somebody took it up: a claim, a report of work on it, or the recipient read it |
 * | `acked` | the recipient acked it, or its work was reported a success |
 */
const PROVES: Readonly<Partial<Record<MessageEvent, ProvenStage>>> = {
  attempt_started: 'offered',
  attempt_delivered: 'delivered',
  claimed: 'claimed',
  fetched: 'delivered',
  read: 'claimed',
  acked: 'acked',
};

export const provedBy = (event: MessageEvent): ProvenStage => PROVES[event] ?? 'stored';

/** A webhook is offered with its first attempt; what is held or missed was shown to nobody. */
const OFFERING: ReadonlySet<RoutingAction> = new Set(['offer', 'push_bg', 'keep_in_inbox']);

export const provedByPlan = ({ action }: { readonly action: RoutingAction }): ProvenStage =>
  OFFERING.has(action) ? 'offered' : 'stored';

const rank = (stage: ProvenStage): number => PROVEN_STAGES.indexOf(stage);

export const reaches = (stage: ProvenStage, wanted: ProvenStage): boolean => rank(stage) >= rank(wanted);

/** The column only ever takes this: whatever was proven stays so. */
export const further = (known: ProvenStage, proved: ProvenStage): ProvenStage =>
  reaches(known, proved) ? known : proved;

/** The stages that `delivered` is further than, for a statement that moves many at once. */
export const BEFORE_DELIVERED = PROVEN_STAGES.filter((stage) => !reaches(stage, 'delivered'));
