import { z } from 'zod';
import { SUBJECT_KINDS } from '../continuity/vocabulary.ts';
import { ruledText, ruledTexts, text, textOf, whole } from '../continuity/fields.ts';
import {
  CLAIMS,
  COMMIT_MESSAGE_CHARS,
  EVIDENCE_REFS,
  LINK_CHARS,
  NOTE_CHARS,
  PARTICIPANTS,
  PEER_CHARS,
  QUERY_LIMIT,
  SHARED_ITEMS,
  SOURCE_ID_CHARS,
  SUMMARY_CHARS,
  TITLE_CHARS,
  TRUST_REASON_CHARS,
} from './limits.ts';
import {
  CLASSIFICATIONS,
  CONSUMED_AS,
  EPISTEMIC_STATUSES,
  HANDOFF_STATUSES,
  RECONCILIATION_STATUSES,
  RESOLUTION_OUTCOMES,
  SOURCE_KINDS,
  TRIGGERS,
  TRUST_LEVELS,
} from './vocabulary.ts';

const peer = textOf(PEER_CHARS, 1);
const link = textOf(LINK_CHARS).nullish();
const commitMessage = ruledText(COMMIT_MESSAGE_CHARS).nullish();
const version = whole(1, Number.MAX_SAFE_INTEGER);

/** Two names for one field. */
const agree = (one: unknown, other: unknown): boolean => one == null || other == null || one === other;

export const handoffCreate = z.object({
  recipient_peer: peer,
  subject_kind: z.enum(SUBJECT_KINDS),
  subject_id: textOf(LINK_CHARS, 1),
  task_id: link,
  thread_id: link,
  note: textOf(NOTE_CHARS).nullish(),
  commit_message: commitMessage,
});
export type HandoffCreate = z.output<typeof handoffCreate>;

export const handoffConsume = z
  .object({
    status: z.enum(CONSUMED_AS),
    note: textOf(NOTE_CHARS).nullish(),
    /** Another name for the note. */
    reason: textOf(NOTE_CHARS).nullish(),
  })
  .refine(({ note, reason }) => agree(note, reason), { path: ['reason'], error: 'reason must equal note' });
export type HandoffConsume = z.output<typeof handoffConsume>;

const page = {
  limit: whole(QUERY_LIMIT.least, QUERY_LIMIT.most).default(QUERY_LIMIT.usual),
  offset: whole(0, Number.MAX_SAFE_INTEGER).default(0),
};
const named = textOf(PEER_CHARS).optional();
const linked = textOf(LINK_CHARS).optional();

export const handoffsQuery = z.object({
  recipient_peer: named,
  sender_peer: named,
  status: z.enum(HANDOFF_STATUSES).optional(),
  ...page,
});
export type HandoffsQuery = z.output<typeof handoffsQuery>;

const title = ruledText(TITLE_CHARS, 1);
const summary = ruledText(SUMMARY_CHARS, 1).nullish();
const items = ruledTexts(SHARED_ITEMS, 1).nullish();
const lists = { constraints: items, drift_signals: items, coordination_alerts: items };

export const sharedCreate = z.object({
  participant_peers: z.array(ruledText(PEER_CHARS, 1)).max(PARTICIPANTS).nullish(),
  task_id: link,
  thread_id: link,
  title,
  summary,
  ...lists,
  commit_message: commitMessage,
});
export type SharedCreate = z.output<typeof sharedCreate>;

/** Replaces all of it but who takes part and what it belongs to. */
export const sharedUpdate = z.strictObject({
  expected_version: version,
  title,
  summary,
  ...lists,
  commit_message: commitMessage,
});
export type SharedUpdate = z.output<typeof sharedUpdate>;

export const sharedQuery = z.object({
  owner_peer: named,
  participant_peer: named,
  task_id: linked,
  thread_id: linked,
  ...page,
});
export type SharedQuery = z.output<typeof sharedQuery>;

export const reconciliationClaim = z.strictObject({
  source_kind: z.enum(SOURCE_KINDS),
  source_id: ruledText(SOURCE_ID_CHARS, 1),
  claimant_peer: ruledText(PEER_CHARS, 1),
  claim_summary: ruledText(SUMMARY_CHARS, 1),
  epistemic_status: z.enum(EPISTEMIC_STATUSES),
  evidence_refs: ruledTexts(EVIDENCE_REFS, 1).nullish(),
  /** The version a claim about a shared state is about. */
  observed_version: version.nullish(),
});
export type SentClaim = z.output<typeof reconciliationClaim>;

export const reconciliationOpen = z.strictObject({
  task_id: link,
  thread_id: link,
  title,
  summary,
  classification: z.enum(CLASSIFICATIONS),
  trigger: z.enum(TRIGGERS),
  claims: z.array(reconciliationClaim).max(CLAIMS.most).nullish(),
  commit_message: commitMessage,
});
export type ReconciliationOpen = z.output<typeof reconciliationOpen>;

export const reconciliationsQuery = z.object({
  owner_peer: named,
  claimant_peer: named,
  status: z.enum(RECONCILIATION_STATUSES).optional(),
  classification: z.enum(CLASSIFICATIONS).optional(),
  task_id: linked,
  thread_id: linked,
  ...page,
});
export type ReconciliationsQuery = z.output<typeof reconciliationsQuery>;

export const reconciliationResolve = z
  .strictObject({
    expected_version: version,
    resolution_outcome: z.enum(RESOLUTION_OUTCOMES).nullish(),
    /** Another name for it. */
    outcome: z.enum(RESOLUTION_OUTCOMES).nullish(),
    resolution_summary: ruledText(SUMMARY_CHARS, 1).nullish(),
    commit_message: commitMessage,
  })
  .refine(({ resolution_outcome: one, outcome: other }) => (one ?? other) != null && agree(one, other), {
    path: ['resolution_outcome'],
    error: 'resolution_outcome is required, and outcome is another name for it',
  });
export type ReconciliationResolve = z.output<typeof reconciliationResolve>;

const fingerprint = textOf(200).nullish();

export const peerRegister = z.object({
  peer_id: peer,
  base_url: textOf(2048, 1),
  public_key: textOf(16_384).nullish(),
  capabilities_url: textOf(2048).nullish(),
  trust_level: z.enum(TRUST_LEVELS).nullish(),
  allowed_scopes: z.array(text()).max(64).nullish(),
  expected_public_key_fingerprint: fingerprint,
  transition_reason: textOf(TRUST_REASON_CHARS.most).nullish(),
});
export type PeerRegister = z.output<typeof peerRegister>;

export const peerTrust = z.object({
  trust_level: z.enum(TRUST_LEVELS),
  reason: textOf(TRUST_REASON_CHARS.most, TRUST_REASON_CHARS.least),
  expected_public_key_fingerprint: fingerprint,
});
export type PeerTrust = z.output<typeof peerTrust>;
