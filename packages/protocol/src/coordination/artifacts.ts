import type { SubjectKind } from '../continuity/vocabulary.ts';
import type {
  Classification,
  EpistemicStatus,
  HandoffStatus,
  ReconciliationStatus,
  ResolutionOutcome,
  SourceKind,
  Trigger,
  TrustLevel,
} from './vocabulary.ts';

/** What two lists of a capsule say, given to another peer. Members stand in the order in which answers show them. */
export interface Handoff {
  schema_type: 'continuity_handoff';
  schema_version: '1.0';
  handoff_id: string;
  created_at: string;
  created_by: string;
  sender_peer: string;
  recipient_peer: string;
  source_selector: { subject_kind: SubjectKind; subject_id: string };
  source_summary: {
    path: string;
    updated_at: string;
    verified_at: string;
    verification_status: string;
    health_status: string;
  };
  task_id: string | null;
  thread_id: string | null;
  note: string | null;
  shared_continuity: { active_constraints: string[]; drift_signals: string[] };
  recipient_status: HandoffStatus;
  recipient_reason: string | null;
  consumed_at: string | null;
  consumed_by: string | null;
}

export interface SharedLists {
  constraints: string[];
  drift_signals: string[];
  coordination_alerts: string[];
}

/** A board that one peer writes and others read. */
export interface SharedState {
  schema_type: 'coordination_shared_state';
  schema_version: '1.0';
  shared_id: string;
  created_at: string;
  updated_at: string;
  created_by: string;
  owner_peer: string;
  participant_peers: string[];
  task_id: string | null;
  thread_id: string | null;
  title: string;
  summary: string | null;
  shared_state: SharedLists;
  version: number;
  last_updated_by: string;
}

export interface ReconciliationClaim {
  source_kind: SourceKind;
  source_id: string;
  claimant_peer: string;
  claim_summary: string;
  epistemic_status: EpistemicStatus;
  evidence_refs: string[];
  observed_version: number | null;
}

/** What peers claimed that does not go together, and what was made of it. */
export interface Reconciliation {
  schema_type: 'coordination_reconciliation_record';
  schema_version: '1.0';
  reconciliation_id: string;
  created_at: string;
  updated_at: string;
  opened_by: string;
  owner_peer: string;
  participant_peers: string[];
  task_id: string | null;
  thread_id: string | null;
  title: string;
  summary: string | null;
  classification: Classification;
  trigger: Trigger;
  claims: ReconciliationClaim[];
  status: ReconciliationStatus;
  resolution_outcome: ResolutionOutcome | null;
  resolution_summary: string | null;
  resolved_at: string | null;
  resolved_by: string | null;
  version: number;
  last_updated_by: string;
}

export interface TrustChange {
  at: string;
  from: TrustLevel | null;
  to: TrustLevel;
  reason: string | null;
  by: string;
}

/** Who else is there. One that only holds a key has no address and no past. */
export interface Peer {
  peer_id: string;
  base_url: string | null;
  public_key: string | null;
  public_key_fingerprint: string | null;
  capabilities_url: string;
  trust_level: TrustLevel;
  allowed_scopes: string[];
  created_at: string | null;
  updated_at: string | null;
  trust_history: TrustChange[];
}
