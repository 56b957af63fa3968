import { z } from 'zod';
import { scheduleItem } from '../schedule/item.ts';
import { continuityState, stablePreference } from './capsule-answer.ts';
import { trustSignals } from './trust-signals.ts';
import { HEALTH_STATUSES, SOURCE_STATES } from './vocabulary.ts';

const texts = z.array(z.string());

/** What to carry on from. */
export const startupSummary = z.object({
  recovery: z.object({
    source_state: z.enum(SOURCE_STATES),
    recovery_warnings: texts,
    capsule_health_status: z.enum(HEALTH_STATUSES).nullable(),
    capsule_health_reasons: texts,
  }),
  orientation: continuityState
    .pick({
      top_priorities: true,
      active_constraints: true,
      open_loops: true,
      negative_decisions: true,
      rationale_entries: true,
    })
    .nullable(),
  context: continuityState
    .pick({ session_trajectory: true, stance_summary: true, active_concerns: true })
    .nullable(),
  updated_at: z.string().nullable(),
  trust_signals: trustSignals.nullable(),
  stable_preferences: z.array(stablePreference).nullable(),
});

const graphNode = z.object({ id: z.string(), kind: z.string(), subject_id: z.string() });
const cut = z.object({ limit: z.int(), available: z.int(), returned: z.int(), truncated: z.boolean() });

/** What is linked to the subject. */
export const graphSection = z.object({
  anchor: graphNode.nullable(),
  nodes: z.array(graphNode),
  edges: z.array(z.object({ relationship: z.string(), source_id: z.string(), target_id: z.string() })),
  related_documents: z.array(z.object({ path: z.string(), node_id: z.string(), source_id: z.string() })),
  blockers: z.array(
    z.object({
      task_id: z.string(),
      blocked_by_task_id: z.string(),
      source_id: z.string(),
      target_id: z.string(),
    }),
  ),
  truncation: z.object({ nodes: cut, edges: cut, related_documents: cut, blockers: cut }),
  warnings: z.array(
    z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }),
  ),
});

const scheduled = { items: z.array(scheduleItem), count: z.int(), truncated: z.boolean() };

/** What was to be remembered about the subject, now or soon. */
export const scheduleContext = z.object({
  due: z.object(scheduled),
  upcoming: z.object({ window_hours: z.int(), ...scheduled }),
  warnings: z.array(z.unknown()),
});

export type ScheduledItem = z.output<typeof scheduled.items>[number];
export type GraphSection = z.output<typeof graphSection>;
