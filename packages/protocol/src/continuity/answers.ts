import { z } from 'zod';
import { capsule, capsuleHealth, verificationState } from './capsule-answer.ts';
import { graphSection, scheduleContext, startupSummary } from './startup-answer.ts';
import { trustSignals } from './trust-signals.ts';
import { LIFECYCLES, OUTCOMES, SOURCE_STATES, VERIFICATION_KINDS } from './vocabulary.ts';

const ok = z.literal(true);
const texts = z.array(z.string());
/** Hints of the server; the key is there only when it has any. */
const noticed = { notices: texts.optional() };
const stored = { durable: z.boolean(), latest_commit: z.string().nullable(), warnings: z.array(z.unknown()) };
/** Of a write: what is on disk now. */
const written = { ok, path: z.string(), ...stored, recovery_warnings: texts, ...noticed };

/** What a write would have done. */
export const rehearsal = z.object({
  ok,
  path: z.string(),
  dry_run: z.literal(true),
  would_change: z.boolean(),
  changed_fields: texts,
  capsule_sha256: z.string(),
  normalizations_applied: texts,
  warnings: z.array(z.unknown()),
  recovery_warnings: texts,
  ...noticed,
});

/** Told by those writes that had to do with them. */
const extras = {
  session_end_snapshot_applied: z.literal(true).optional(),
  resume_quality: z.object({ adequate: z.boolean() }).optional(),
  lifecycle: z.enum(LIFECYCLES).optional(),
};

export const upserted = z.object({
  ...written,
  created: z.boolean(),
  updated: z.boolean(),
  capsule_sha256: z.string(),
  normalizations_applied: texts,
  fallback_warning_detail: z.string().nullable(),
  ...extras,
  replayed: z.literal(true).optional(),
});

export const upsertRehearsed = rehearsal.extend(extras);

export const patched = z.object({
  ...written,
  updated: z.boolean(),
  capsule_sha256: z.string(),
  operations_applied: z.int(),
  normalizations_applied: texts,
});

const move = { lifecycle: z.enum(LIFECYCLES), previous_lifecycle: z.enum(LIFECYCLES) };
export const moved = z.object({ ...written, ...move, capsule_sha256: z.string() });
export const moveRehearsed = rehearsal.extend(move);

const revalidation = {
  outcome: z.enum(OUTCOMES),
  updated: z.boolean(),
  verification_state: verificationState,
  capsule_health: capsuleHealth,
};
export const revalidated = z.object({
  ...written,
  ...revalidation,
  fallback_warning_detail: z.string().nullable(),
});
export const revalidateRehearsed = rehearsal.extend(revalidation);

export const restored = z.object({
  ...written,
  created: z.boolean(),
  updated: z.boolean(),
  revision: z.int(),
  capsule_sha256: z.string(),
});

export const compared = z.object({
  ok,
  path: z.string(),
  identical: z.boolean(),
  changed_fields: texts,
  strongest_signal: z.enum(VERIFICATION_KINDS),
  recommended_outcome: z.enum(OUTCOMES),
  ...noticed,
});

export const readAnswer = z.object({
  ok,
  path: z.string(),
  capsule: capsule.nullable(),
  archived: z.literal(false),
  source_state: z.enum(SOURCE_STATES),
  recovery_warnings: texts,
  trust_signals: trustSignals.nullable(),
  ...noticed,
});

/** With `view: "startup"`. */
export const startupAnswer = readAnswer.extend({
  startup_summary: startupSummary.nullable(),
  /** Null when it could not be made. */
  graph_summary: graphSection.nullable(),
  schedule_context: scheduleContext,
});

export const archived = z.object({
  ok,
  archived_path: z.string(),
  removed_active_path: z.string(),
  ...stored,
  ...noticed,
});

export const deleted = z.object({ ok, deleted_paths: texts, missing_paths: texts, ...stored, ...noticed });

export type ReadAnswer = z.output<typeof readAnswer>;
export type StartupAnswer = z.output<typeof startupAnswer>;
export type UpsertAnswer = z.output<typeof upserted>;
export type PatchAnswer = z.output<typeof patched>;
export type LifecycleAnswer = z.output<typeof moved>;
export type RevalidateAnswer = z.output<typeof revalidated>;
export type RehearsalAnswer = z.output<typeof rehearsal>;
export type RestoreAnswer = z.output<typeof restored>;
