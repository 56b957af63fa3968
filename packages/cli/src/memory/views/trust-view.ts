import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { TrustSignals } from '@parley/protocol/continuity/trust-signals';
import type { Page, Styled } from '../page.ts';
import { ago, duration, healthWords, nameOf, phaseWords, SOURCE_WORDS, verificationWords } from '../words.ts';

const NAME_COLUMNS = 12;

/** How far a capsule can be trusted, in words. */
export function showTrust(page: Page, capsule: Capsule, trust: TrustSignals | null): void {
  page.heading('Trust');
  const facts: [name: string, value: Styled][] = trust
    ? [
        ['Recency', recency(trust.recency, capsule)],
        ['Verification', verification(trust.integrity, capsule)],
        ['Health', health(trust.integrity)],
        ['Completeness', completeness(trust.completeness)],
        ['Scope', scope(trust)],
      ]
    : [];
  const { continuity, relationship_model: relationship } = capsule.confidence;
  facts.push([
    'Confidence',
    { text: `${continuity} in the continuity, ${relationship} in the relationship, as its author says` },
  ]);
  for (const [name, value] of facts) page.fact(name, value, NAME_COLUMNS);
}

function recency(
  {
    phase,
    verified_age_seconds: age,
    freshness_class: kind,
    stale_threshold_seconds: good,
  }: TrustSignals['recency'],
  { freshness }: Capsule,
): Styled {
  const { text, style } = phaseWords(phase);
  const expires = freshness?.expires_at ? `, expires ${freshness.expires_at}` : '';
  const lasting = good === null ? 'does not go stale' : `good for ${duration(good)}`;
  return {
    text: `${text}: last verified ${ago(age)}, ${lasting}${kind === null ? '' : ` (${kind})`}${expires}`,
    style,
  };
}

function verification({ verification_status: status }: TrustSignals['integrity'], capsule: Capsule): Styled {
  const { verification_state: state, verification_kind: claimed } = capsule;
  const { text, style } = verificationWords(status);
  const parts = [
    text,
    ...(state ? [`last looked at ${state.last_revalidated_at}`] : []),
    ...(state && state.evidence_refs.length > 0 ? [`evidence: ${state.evidence_refs.join(', ')}`] : []),
    ...(state?.conflict_summary ? [state.conflict_summary] : []),
    ...(!state && claimed ? [`its author claims ${nameOf(claimed)}`] : []),
  ];
  return { text: parts.join('; '), style };
}

function health({ health_status: status, health_reasons: reasons }: TrustSignals['integrity']): Styled {
  const { text, style } = healthWords(status);
  return { text: reasons.length === 0 ? text : `${text}: ${reasons.join('; ')}`, style };
}

function completeness({
  orientation_adequate: adequate,
  empty_orientation_fields: empty,
}: TrustSignals['completeness']): Styled {
  const enough = adequate ? 'enough to carry on from' : 'too little to carry on from';
  const missing = empty.length === 0 ? '' : `; empty or short: ${empty.map(nameOf).join(', ')}`;
  return { text: enough + missing, style: adequate ? 'green' : 'yellow' };
}

function scope({ integrity, scope_match: { exact } }: TrustSignals): Styled {
  return { text: SOURCE_WORDS[integrity.source_state], style: exact ? 'green' : 'yellow' };
}
