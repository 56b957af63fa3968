import type { TrustSignals } from '@parley/protocol/continuity/trust-signals';
import type { ReadAnswer } from '@parley/protocol/continuity/answers';
import { duration } from './words.ts';

/** What the server warns of, in words; `%` stands for what the code carries behind its colon. */
const SENTENCES: Readonly<Record<string, string>> = {
  continuity_active_missing: 'There is no active capsule.',
  continuity_active_invalid: 'The active capsule cannot be read.',
  continuity_fallback_used: 'This is the snapshot of the last write that succeeded.',
  continuity_fallback_missing: 'There is no snapshot to fall back on either.',
  related_documents_omitted_non_metadata: 'Related documents are left out: they held content, not pointers.',
  related_documents_omitted_invalid: 'Related documents are left out: they are not valid.',
  trust_signals_build_failed: 'The server could not tell how far this can be trusted.',
  startup_summary_build_failed: 'The server could not make the startup summary.',
  continuity_capsule_superseded: 'Superseded: %',
  continuity_thread_descriptor_missing: 'It has no descriptor, so lists cannot find it by label or keyword.',
  continuity_archived: 'It was archived: %',
  continuity_subject_id_alias: 'It is stored under the spelling %',
};

function inWords(warning: string): string {
  const colon = warning.indexOf(':');
  const code = colon === -1 ? warning : warning.slice(0, colon);
  const sentence = SENTENCES[code];
  // A code that is not known here is still worth more than silence.
  return sentence?.replace('%', () => warning.slice(colon + 1).replace(/^thread:/, '')) ?? warning;
}

/** Everything that should make a reader think twice, worst news of the capsule itself last. */
export function warningsOf(answer: ReadAnswer, more: readonly string[] = []): string[] {
  const codes = [...answer.recovery_warnings, ...more, ...(answer.notices ?? [])];
  return [...new Set(codes.map(inWords)), ...(answer.trust_signals ? doubts(answer.trust_signals) : [])];
}

function doubts({ recency, completeness, integrity }: TrustSignals): string[] {
  return [
    ...staleness(recency),
    ...(integrity.health_status === 'healthy'
      ? []
      : [`Its health is ${integrity.health_status}: ${integrity.health_reasons.join('; ')}`]),
    ...(integrity.verification_status === 'conflicted' ? ['The evidence contradicts it.'] : []),
    ...(completeness.orientation_adequate ? [] : ['It says too little to carry on from.']),
  ];
}

function staleness({
  phase,
  verified_age_seconds: age,
  stale_threshold_seconds: good,
}: TrustSignals['recency']) {
  if (phase === 'fresh') return [];
  if (age === null) return ['It has never been verified at a known time.'];
  if (phase === 'expired') return ['It has expired; check before you rely on it.'];
  return [
    `It was verified ${duration(age)} ago and good for ${duration(good ?? 0)}; check before you rely on it.`,
  ];
}
