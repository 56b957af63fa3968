import {
  type BeatState,
  type Channel,
  CHANNELS,
  type DeliveryMode,
  type DeliveryRoute,
  type DeliveryWarning,
  type LiveFallbackMode,
  type LiveUnclaimedReason,
} from '@parley/protocol/delivery/vocabulary';
import { type TraceStep, traceStep } from './trace.ts';

/**
 * By which channel a message or a cue fire goes. A pure function of what is known at the moment it is
 * due; it never refuses. A forced mode is tried first and then the fallback chain bg → webhook → inbox; `auto` takes the
 * first usable one of: the preferred contact, then live, bg, webhook, inbox.
 */
export interface RoutingInput {
  readonly at: number;
  readonly mode: DeliveryMode;
  readonly fallback: LiveFallbackMode;
  /** Declared, or derived when never declared. */
  readonly capabilities: readonly Channel[];
  readonly preferred: Channel | null;
  readonly live: LiveState;
  readonly hasWebhookUrl: boolean;
  /** The agent is the live sibling of a background agent that takes bg pushes. */
  readonly parentTakesBg: boolean;
  /** Of whoever would get the bg push: the agent, or its parent. */
  readonly bgBeat: BeatState;
}

export type LiveState = 'none' | 'stale' | 'fresh';

/** What has to be done now: open a live window, wait for a session, give up, push, post, or leave it to be fetched. */
export type RoutingAction = 'offer' | 'hold' | 'miss' | 'push_bg' | 'post_webhook' | 'keep_in_inbox';

export interface RoutingDecision {
  readonly action: RoutingAction;
  readonly effective: Channel;
  readonly route: DeliveryRoute;
  /** Set when the action is `miss`. */
  readonly missReason: LiveUnclaimedReason | null;
  /** What the end of the claim window does, when one is opened. */
  readonly onLapse: LiveFallbackMode;
  readonly viaParent: boolean;
  readonly warning: DeliveryWarning | null;
  readonly trace: readonly TraceStep[];
}

export function route(input: RoutingInput): RoutingDecision {
  const run = new Run(input);
  run.note('requested', input.mode, input.mode === 'live' ? `live_fallback_mode ${input.fallback}` : null);
  return BY_MODE[input.mode](run);
}

/** Where a live offer goes that nobody claimed. */
export function routeAfterLapse(input: RoutingInput, reason: LiveUnclaimedReason): RoutingDecision {
  const run = new Run(input);
  run.note('live_window', 'live_unclaimed_background_fallback', reason);
  return fallBack(run, FALLBACK_CHAIN);
}

const FALLBACK_CHAIN: readonly Channel[] = ['bg', 'webhook', 'inbox'];

const BY_MODE: Readonly<Record<DeliveryMode, (run: Run) => RoutingDecision>> = {
  live: forcedLive,
  bg: (run) => (run.usable('bg') ? run.take('bg', 'direct') : fallBack(run, ['webhook', 'inbox'])),
  webhook: (run) => (run.usable('webhook') ? run.take('webhook', 'direct') : fallBack(run, ['inbox'])),
  inbox(run) {
    run.usable('inbox');
    return run.take('inbox', 'direct');
  },
  auto: automatic,
};

function forcedLive(run: Run): RoutingDecision {
  const { live, fallback } = run.input;
  const declared = run.input.capabilities.includes('live');
  if (run.usable('live')) return run.take('live', 'direct');
  if (fallback === 'background') return fallBack(run, FALLBACK_CHAIN);
  if (fallback === 'live_only' && declared) return run.decide('hold', 'live', 'live', null);
  const reason = !declared ? 'capability_missing' : live === 'stale' ? 'heartbeat_stale' : 'no_session';
  return run.decide('miss', 'live', 'live', reason);
}

function fallBack(run: Run, chain: readonly Channel[]): RoutingDecision {
  const taken = chain.find((channel) => run.usable(channel)) ?? 'inbox';
  return run.take(taken, 'fallback');
}

function automatic(run: Run): RoutingDecision {
  const { preferred } = run.input;
  const order = preferred === null ? CHANNELS : [...new Set([preferred, ...CHANNELS])];
  const candidates = order.filter((channel) => run.has(channel));
  if (!candidates.includes('inbox')) candidates.push('inbox');
  const index = candidates.findIndex((channel, place) => {
    const behindLive = candidates.slice(0, place).includes('live');
    return run.usable(channel, behindLive ? 'open' : 'not_stale');
  });
  const taken = candidates[index] ?? 'inbox';
  const wanted = preferred === null ? index === 0 : taken === preferred && run.has(taken);
  return run.take(taken, wanted ? 'direct' : 'fallback');
}

/** How strictly bg is looked at: a stale handler matters only where `auto` could still choose something better. */
type BgGate = 'open' | 'not_stale';

/** One evaluation: answers questions about the channels and writes down what it was asked. */
class Run {
  readonly input: RoutingInput;
  readonly #trace: TraceStep[] = [];

  constructor(input: RoutingInput) {
    this.input = input;
  }

  note(step: TraceStep['step'], result: string, reason: string | null): void {
    this.#trace.push(traceStep(this.input.at, step, result, reason));
  }

  has(channel: Channel): boolean {
    const { capabilities, parentTakesBg } = this.input;
    return capabilities.includes(channel) || (channel === 'bg' && parentTakesBg);
  }

  usable(channel: Channel, gate: BgGate = 'open'): boolean {
    const obstacle = this.#obstacle(channel, gate);
    this.note(channel, obstacle === null ? 'usable' : 'skipped', obstacle ?? this.#remark(channel));
    return obstacle === null;
  }

  take(channel: Channel, how: 'direct' | 'fallback'): RoutingDecision {
    return this.decide(ACTIONS[channel], channel, channel === 'live' ? 'live' : ROUTES[channel][how], null);
  }

  decide(
    action: RoutingAction,
    effective: Channel,
    taken: DeliveryRoute,
    missReason: LiveUnclaimedReason | null,
  ): RoutingDecision {
    const { mode, fallback } = this.input;
    this.note('resolved', effective, missReason ?? taken);
    return {
      action,
      effective,
      route: taken,
      missReason,
      onLapse: lapseMode(mode, fallback),
      viaParent: effective === 'bg' && this.#onlyParentTakesBg(),
      warning: this.#warning(effective),
      trace: this.#trace,
    };
  }

  #obstacle(channel: Channel, gate: BgGate): string | null {
    const { live, hasWebhookUrl, bgBeat } = this.input;
    if (channel === 'inbox') return null;
    if (!this.has(channel)) return 'capability_missing';
    if (channel === 'live')
      return live === 'fresh' ? null : live === 'stale' ? 'heartbeat_stale' : 'no_session';
    if (channel === 'webhook') return hasWebhookUrl ? null : 'no_webhook_url';
    return gate === 'not_stale' && bgBeat === 'stale' ? 'bg_handler_stale' : null;
  }

  #remark(channel: Channel): string | null {
    if (channel === 'bg' && this.#onlyParentTakesBg()) return 'via_parent';
    return this.has(channel) ? null : 'inbox_not_declared';
  }

  #onlyParentTakesBg(): boolean {
    return this.input.parentTakesBg && !this.input.capabilities.includes('bg');
  }

  #warning(effective: Channel): DeliveryWarning | null {
    if (effective === 'bg' && this.input.bgBeat === 'stale') return 'bg_handler_stale';
    if (effective === 'inbox' && !this.has('inbox')) return 'inbox_not_declared';
    return null;
  }
}

const ACTIONS: Readonly<Record<Channel, RoutingAction>> = {
  live: 'offer',
  bg: 'push_bg',
  webhook: 'post_webhook',
  inbox: 'keep_in_inbox',
};

const ROUTES = {
  bg: { direct: 'background_direct', fallback: 'background_fallback' },
  webhook: { direct: 'webhook_direct', fallback: 'webhook_fallback' },
  inbox: { direct: 'inbox_direct', fallback: 'inbox_fallback' },
} as const satisfies Record<Exclude<Channel, 'live'>, Record<'direct' | 'fallback', DeliveryRoute>>;

/** With `auto` there is always another channel, so nothing is held for a session that may come. */
export function lapseMode(mode: DeliveryMode | null, fallback: LiveFallbackMode): LiveFallbackMode {
  return mode === 'auto' && fallback === 'live_only' ? 'background' : fallback;
}
