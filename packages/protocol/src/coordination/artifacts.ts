import { z } from 'zod';
import { SUBJECT_KINDS } from '../continuity/vocabulary.ts';
import {
  CLASSIFICATIONS,
  EPISTEMIC_STATUSES,
  HANDOFF_STATUSES,
  RECONCILIATION_STATUSES,
  RESOLUTION_OUTCOMES,
  SOURCE_KINDS,
  TRIGGERS,
  TRUST_LEVELS,
} from './vocabulary.ts';

/** What two lists of a capsule say, given to another peer. Members stand in the order in which answers show them. */
export const handoff = z.object({
  schema_type: z.literal('continuity_handoff'),
  schema_version: z.literal('1.0'),
  handoff_id: z.string(),
  created_at: z.string(),
  created_by: z.string(),
  sender_peer: z.string(),
  recipient_peer: z.string(),
  source_selector: z.object({ subject_kind: z.enum(SUBJECT_KINDS), subject_id: z.string() }),
  source_summary: z.object({
    path: z.string(),
    updated_at: z.string(),
    verified_at: z.string(),
    verification_status: z.string(),
    health_status: z.string(),
  }),
  task_id: z.string().nullable(),
  thread_id: z.string().nullable(),
  note: z.string().nullable(),
  shared_continuity: z.object({
    active_constraints: z.array(z.string()),
    drift_signals: z.array(z.string()),
  }),
  recipient_status: z.enum(HANDOFF_STATUSES),
  recipient_reason: z.string().nullable(),
  consumed_at: z.string().nullable(),
  consumed_by: z.string().nullable(),
});
export type Handoff = z.output<typeof handoff>;

export const sharedLists = z.object({
  constraints: z.array(z.string()),
  drift_signals: z.array(z.string()),
  coordination_alerts: z.array(z.string()),
});
export type SharedLists = z.output<typeof sharedLists>;

/** A board that one peer writes and others read. */
export const sharedState = z.object({
  schema_type: z.literal('coordination_shared_state'),
  schema_version: z.literal('1.0'),
  shared_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  created_by: z.string(),
  owner_peer: z.string(),
  participant_peers: z.array(z.string()),
  task_id: z.string().nullable(),
  thread_id: z.string().nullable(),
  title: z.string(),
  summary: z.string().nullable(),
  shared_state: sharedLists,
  version: z.int(),
  last_updated_by: z.string(),
});
export type SharedState = z.output<typeof sharedState>;

export const reconciliationClaim = z.object({
  source_kind: z.enum(SOURCE_KINDS),
  source_id: z.string(),
  claimant_peer: z.string(),
  claim_summary: z.string(),
  epistemic_status: z.enum(EPISTEMIC_STATUSES),
  evidence_refs: z.array(z.string()),
  observed_version: z.int().nullable(),
});
export type ReconciliationClaim = z.output<typeof reconciliationClaim>;

/** What peers claimed that does not go together, and what was made of it. */
export const reconciliation = z.object({
  schema_type: z.literal('coordination_reconciliation_record'),
  schema_version: z.literal('1.0'),
  reconciliation_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  opened_by: z.string(),
  owner_peer: z.string(),
  participant_peers: z.array(z.string()),
  task_id: z.string().nullable(),
  thread_id: z.string().nullable(),
  title: z.string(),
  summary: z.string().nullable(),
  classification: z.enum(CLASSIFICATIONS),
  trigger: z.enum(TRIGGERS),
  claims: z.array(reconciliationClaim),
  status: z.enum(RECONCILIATION_STATUSES),
  resolution_outcome: z.enum(RESOLUTION_OUTCOMES).nullable(),
  resolution_summary: z.string().nullable(),
  resolved_at: z.string().nullable(),
  resolved_by: z.string().nullable(),
  version: z.int(),
  last_updated_by: z.string(),
});
export type Reconciliation = z.output<typeof reconciliation>;

export const trustChange = z.object({
  at: z.string(),
  from: z.enum(TRUST_LEVELS).nullable(),
  to: z.enum(TRUST_LEVELS),
  reason: z.string().nullable(),
  by: z.string(),
});
export type TrustChange = z.output<typeof trustChange>;

/** Who else is there. One that only holds a key has no address and no past. */
export const peer = z.object({
  peer_id: z.string(),
  base_url: z.string().nullable(),
  public_key: z.string().nullable(),
  public_key_fingerprint: z.string().nullable(),
  capabilities_url: z.string(),
  trust_level: z.enum(TRUST_LEVELS),
  allowed_scopes: z.array(z.string()),
  created_at: z.string().nullable(),
  updated_at: z.string().nullable(),
  trust_history: z.array(trustChange),
});
export type Peer = z.output<typeof peer>;
