import { implicitCueId } from '@parley/protocol/delivery/ids';
import type {
  DeliveryMode,
  LiveFallbackMode,
  LiveUnclaimedReason,
} from '@parley/protocol/delivery/vocabulary';
import { ageMs, liveState, targetSession } from './freshness.ts';
import type { DeliverySettings } from '../settings.ts';
import { windowEnd } from '../records/live-window.ts';
import type { AttachedSession, BackgroundTarget, Recipient } from './recipient.ts';
import { type RoutingDecision, type RoutingInput, route, routeAfterLapse } from './routing.ts';

/** What the sender asked for. */
export interface PushRequest {
  readonly mode: DeliveryMode;
  readonly fallback: LiveFallbackMode;
  readonly liveLabel: string | null;
}

export interface PlanTimes extends Pick<DeliverySettings, 'heartbeatThresholdMs' | 'claimWindowMs'> {
  readonly now: number;
}

/** A routing decision with the names in it: which agent, session and task, until when. */
export type PushPlan = Readonly<ReturnType<typeof named>>;

/** With `lapsed`, where it goes when no live session took it. */
export function planPush(
  recipient: Recipient,
  request: PushRequest,
  times: PlanTimes,
  lapsed?: LiveUnclaimedReason,
): PushPlan {
  const session = targetSession(recipient.sessions, request.liveLabel);
  const input = routingInput(recipient, session, request, times);
  const decision = lapsed === undefined ? route(input) : routeAfterLapse(input, lapsed);
  return named(decision, recipient, session, times);
}

function routingInput(
  recipient: Recipient,
  session: AttachedSession | undefined,
  { mode, fallback }: PushRequest,
  { now, heartbeatThresholdMs }: PlanTimes,
): RoutingInput {
  return {
    at: now,
    mode,
    fallback,
    capabilities: recipient.capabilities,
    preferred: recipient.preferred,
    live: liveState(session, now, heartbeatThresholdMs),
    hasWebhookUrl: recipient.webhookUrl !== null,
    parentTakesBg: recipient.parent?.takesBg ?? false,
    bgBeat: backgroundOf(recipient).beat,
  };
}

/** Who would get a bg push: the agent, or the parent when only that takes them. */
function backgroundOf(recipient: Recipient): BackgroundTarget {
  const { parent, capabilities } = recipient;
  return parent?.takesBg && !capabilities.includes('bg') ? parent.background : recipient.background;
}

function named(
  decision: RoutingDecision,
  recipient: Recipient,
  session: AttachedSession | undefined,
  { now, claimWindowMs }: PlanTimes,
) {
  const { action, effective, viaParent, onLapse } = decision;
  const offered = action === 'offer' ? session : undefined;
  const background = backgroundOf(recipient);
  const beatAt = effective === 'live' ? session?.beatAt : effective === 'bg' ? background.beatAt : null;
  return {
    action,
    warning: decision.warning,
    missReason: decision.missReason,
    trace: decision.trace,
    /** Those of an execution that say where it is going. */
    columns: {
      agent: viaParent ? (recipient.parent?.suffix ?? recipient.suffix) : recipient.suffix,
      session_id: offered?.id ?? null,
      task: offered?.taskName ?? (effective === 'bg' ? background.task : null),
      cue_id: offered?.cueId ?? implicitCueId(recipient.suffix),
      channel: effective,
      route: decision.route,
      held: action === 'hold' ? 1 : 0,
      via_parent: viaParent ? 1 : 0,
      beat_age_ms: beatAt == null ? null : ageMs(beatAt, now),
      live_deadline_at: offered ? windowEnd(now, claimWindowMs, onLapse) : null,
    },
  };
}
