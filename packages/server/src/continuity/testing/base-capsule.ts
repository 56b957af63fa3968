import { type Capsule, continuityCapsule } from '@parley/protocol/continuity/capsule';
import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import type { z } from 'zod';
import { capsuleFrom } from '../capsule/incoming.ts';

export type SentCapsule = z.input<typeof continuityCapsule>;
export type SentState = SentCapsule['continuity'];

/** `T(1)` is noon of the first of March, `T(2)` a day later, … */
export const T = (day: number): string => `2026-03-${String(day).padStart(2, '0')}T12:00:00Z`;

export interface Change extends Partial<Omit<SentCapsule, 'continuity'>> {
  continuity?: Partial<SentState>;
}

/** The capsule most tests start from. */
export function baseCapsule(
  kind: SubjectKind,
  id: string,
  at: string = T(1),
  { continuity, ...more }: Change = {},
): SentCapsule & { continuity: SentState } {
  return {
    subject_kind: kind,
    subject_id: id,
    updated_at: at,
    verified_at: at,
    source: { producer: 'acceptance', update_reason: 'manual' },
    confidence: { continuity: 0.9, relationship_model: 0.5 },
    ...more,
    continuity: {
      top_priorities: ['finish parser'],
      active_concerns: ['flaky build'],
      active_constraints: ['no new dependencies'],
      open_loops: ['answer review'],
      stance_summary: 'Hold the parser work steady and finish the review before new scope.',
      drift_signals: [],
      ...continuity,
    },
  };
}

/** As it would be kept. */
export const stored = (sent: SentCapsule): Capsule => capsuleFrom(continuityCapsule.parse(sent));
