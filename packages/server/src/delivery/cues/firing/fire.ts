import type { DeliveryMode, LiveFallbackMode, Trigger } from '@parley/protocol/delivery/vocabulary';
import { DELIVERY_MODES, LIVE_FALLBACK_SPELLINGS } from '@parley/protocol/delivery/vocabulary';
import { liveFallbackMode } from '@parley/protocol/delivery/fields';
import { type CueRow, type Payload, payloadOf, verificationOf } from '../record/cue-row.ts';

/** One run of a cue that is to be made, with everything but the way it goes. */
export interface Fire {
  readonly cue: CueRow;
  readonly trigger: Trigger;
  readonly scheduledFor: number;
  readonly payload: Payload;
  /** Null: as the cue or its payload says. */
  readonly mode: DeliveryMode | null;
  readonly fallback: LiveFallbackMode | null;
  /** What its outcome has to show, as JSON text. */
  readonly policy: string | null;
  readonly chain: { readonly parentId: string; readonly depth: number } | null;
  readonly replayedFrom: string | null;
}

export function scheduledFire(cue: CueRow, scheduledFor: number): Fire {
  return {
    cue,
    trigger: 'scheduled',
    scheduledFor,
    payload: payloadOf(cue),
    mode: null,
    fallback: null,
    policy: policyText(cue, null),
    chain: null,
    replayedFrom: null,
  };
}

/** How the fire asks to be delivered. What is said beside the payload wins over what stands in it. */
export function wantedBy({ cue, payload, mode, fallback }: Fire): Pick<Fire, 'mode' | 'fallback'> {
  const alias = DELIVERY_MODES.find((word) => word === payload.routing) ?? null;
  const said = mode ?? cue.delivery_mode;
  const written = LIVE_FALLBACK_SPELLINGS.find((word) => word === payload.live_fallback_mode);
  const inPayload = written === undefined ? undefined : liveFallbackMode.parse(written);
  // Who asks for live in the payload, as older clients do, and says nothing else, wants live or nothing.
  const unsaid = said === null && alias === 'live' ? 'none' : null;
  return { mode: said ?? alias, fallback: fallback ?? cue.live_fallback_mode ?? inPayload ?? unsaid };
}

/** What its outcome has to show, as it is stored with the execution; `exitCriteria` in place of the cue's assertions. */
export function policyText(cue: CueRow, exitCriteria: readonly string[] | null): string | null {
  const asked = verificationOf(cue);
  if (asked === null && exitCriteria === null) return null;
  return JSON.stringify({
    mode: asked?.mode ?? 'none',
    requiredAssertions: exitCriteria ?? asked?.required_assertions ?? [],
  });
}
