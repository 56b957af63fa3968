import type { Capsule } from '@parley/protocol/continuity/capsule';

/** What a model or a person wrote, by the field it stands in. */
export function authoredTexts(capsule: Capsule): [field: string, text: string][] {
  const { continuity, thread_descriptor: descriptor } = capsule;
  return [
    ...(descriptor
      ? [
          ...all('thread_descriptor.label', [descriptor.label]),
          ...all('thread_descriptor.keywords', descriptor.keywords),
          ...all('thread_descriptor.scope_anchors', descriptor.scope_anchors),
          ...all(
            'thread_descriptor.identity_anchors',
            descriptor.identity_anchors.flatMap((anchor) => [anchor.kind, anchor.value]),
          ),
        ]
      : []),
    ...all('continuity.top_priorities', continuity.top_priorities),
    ...all('continuity.active_concerns', continuity.active_concerns),
    ...all('continuity.active_constraints', continuity.active_constraints),
    ...all('continuity.open_loops', continuity.open_loops),
    ...all('continuity.stance_summary', [continuity.stance_summary]),
    ...all('continuity.drift_signals', continuity.drift_signals),
    ...all('continuity.working_hypotheses', continuity.working_hypotheses),
    ...all('continuity.long_horizon_commitments', continuity.long_horizon_commitments),
    ...all('continuity.session_trajectory', continuity.session_trajectory),
    ...all(
      'continuity.negative_decisions',
      continuity.negative_decisions.flatMap((entry) => [entry.decision, entry.rationale]),
    ),
    ...all('continuity.trailing_notes', continuity.trailing_notes),
    ...all('continuity.curiosity_queue', continuity.curiosity_queue),
    ...all(
      'continuity.rationale_entries',
      continuity.rationale_entries.flatMap((entry) => [
        entry.tag,
        entry.summary,
        entry.reasoning,
        ...entry.alternatives_considered,
        ...entry.depends_on,
      ]),
    ),
    ...all(
      'continuity.related_documents',
      (continuity.related_documents ?? []).map((document) => document.label),
    ),
    ...all('continuity.relationship_model', [
      ...(continuity.relationship_model?.preferred_style ?? []),
      ...(continuity.relationship_model?.sensitivity_notes ?? []),
    ]),
    ...all('continuity.retrieval_hints', [
      ...(continuity.retrieval_hints?.must_include ?? []),
      ...(continuity.retrieval_hints?.avoid ?? []),
    ]),
    ...all(
      'stable_preferences',
      capsule.stable_preferences.flatMap((entry) => [entry.tag, entry.content]),
    ),
    ...all('source.producer', [capsule.source.producer]),
    ...all('source.inputs', capsule.source.inputs),
  ];
}

const all = (field: string, items: readonly string[]): [string, string][] =>
  items.map((item) => [field, item]);

/** Of a cold copy, whose capsule is packed away. */
export function stubTexts(stub: string): [field: string, text: string][] {
  const [, ...sections] = stub.split('\n## ');
  return sections.map((section): [string, string] => {
    const end = section.indexOf('\n');
    return [`continuity.${section.slice(0, end)}`, section.slice(end + 1).trim()];
  });
}

const TERM = /[\p{L}\p{M}\p{N}_-]{2,}/gu;

/** Distinct words of at least two characters, in lower case; of a query without any, all of it is looked for. */
export function searchTerms(query: string): string[] {
  const whole = query.trim().toLowerCase();
  const words = whole.match(TERM) ?? [whole];
  return [...new Set(words)].filter((word) => word !== '');
}

export interface Match {
  readonly field: string;
  readonly snippet: string;
}

/** Where the words stand; undefined unless every one of them stands somewhere. */
export function matchesIn(
  texts: readonly (readonly [field: string, text: string])[],
  terms: readonly string[],
): Match[] | undefined {
  const missing = new Set(terms);
  const matches: Match[] = [];
  for (const [field, text] of texts) {
    const lower = text.toLowerCase();
    const found = terms.filter((term) => lower.includes(term));
    if (found.length === 0) continue;
    for (const term of found) missing.delete(term);
    matches.push({ field, snippet: snippetAround(text, lower.indexOf(found[0] ?? '')) });
  }
  return missing.size === 0 ? matches : undefined;
}

const BEFORE = 40;
const LENGTH = 160;

function snippetAround(text: string, at: number): string {
  const from = wholeCharacter(text, Math.max(0, at - BEFORE));
  const to = wholeCharacter(text, Math.min(text.length, from + LENGTH));
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

/** The same place, or one further where that is inside a character. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}
