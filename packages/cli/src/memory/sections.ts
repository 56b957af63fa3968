import type {
  Capsule,
  NegativeDecision,
  RationaleEntry,
  StablePreference,
} from '@parley/protocol/continuity/capsule';
import type { Page } from './page.ts';
import { titleOf } from './words.ts';

/** One entry of a section: what it says, and what belongs to it. */
export interface Entry {
  readonly text: string;
  readonly notes?: readonly string[];
}

export interface Section {
  readonly name: string;
  readonly entries: readonly Entry[];
  /** One text, not a list. */
  readonly prose?: true;
}

export const stance = (text: string): Section => ({
  name: 'stance_summary',
  entries: plain(text === '' ? [] : [text]),
  prose: true,
});

export const plain = (items: readonly string[] = []): Entry[] => items.map((text) => ({ text }));
const noted = (name: string, values: readonly string[] = []): string[] =>
  values.length === 0 ? [] : [`${name}: ${values.join('; ')}`];

export const decisions = (entries: readonly NegativeDecision[]): Entry[] =>
  entries.map(({ decision, rationale }) => ({ text: decision, notes: [`because ${rationale}`] }));

export const preferences = (entries: readonly StablePreference[]): Entry[] =>
  entries.map(({ tag, content, last_confirmed_at: confirmed }) => ({
    text: `${tag}: ${content}`,
    notes: confirmed === undefined ? [] : [`confirmed ${confirmed}`],
  }));

export const rationales = (entries: readonly RationaleEntry[]): Entry[] =>
  entries.map((entry) => ({
    text: `${entry.tag} (${entry.status === 'active' ? '' : `${entry.status} `}${entry.kind}): ${entry.summary}`,
    notes: [
      `because ${entry.reasoning}`,
      ...noted('instead of', entry.alternatives_considered),
      ...noted('depends on', entry.depends_on),
      ...(entry.supersedes === undefined ? [] : [`supersedes ${entry.supersedes}`]),
    ],
  }));

/** Everything an author wrote, in the order in which a reader wants it. */
export function sectionsOf(capsule: Capsule): Section[] {
  const { continuity: state, thread_descriptor: descriptor } = capsule;
  const { relationship_model: relationship, retrieval_hints: hints } = state;
  return [
    stance(state.stance_summary),
    { name: 'top_priorities', entries: plain(state.top_priorities) },
    { name: 'active_constraints', entries: plain(state.active_constraints) },
    { name: 'open_loops', entries: plain(state.open_loops) },
    { name: 'active_concerns', entries: plain(state.active_concerns) },
    { name: 'drift_signals', entries: plain(state.drift_signals) },
    { name: 'negative_decisions', entries: decisions(state.negative_decisions) },
    { name: 'rationale_entries', entries: rationales(state.rationale_entries) },
    { name: 'working_hypotheses', entries: plain(state.working_hypotheses) },
    { name: 'long_horizon_commitments', entries: plain(state.long_horizon_commitments) },
    { name: 'session_trajectory', entries: plain(state.session_trajectory) },
    { name: 'trailing_notes', entries: plain(state.trailing_notes) },
    { name: 'curiosity_queue', entries: plain(state.curiosity_queue) },
    { name: 'stable_preferences', entries: preferences(capsule.stable_preferences) },
    {
      name: 'thread_descriptor',
      entries: plain([
        ...noted('keywords', descriptor?.keywords),
        ...noted('scope', descriptor?.scope_anchors),
        ...noted(
          'anchors',
          descriptor?.identity_anchors.map(({ kind, value }) => `${kind}:${value}`),
        ),
      ]),
    },
    {
      name: 'relationship_model',
      entries: plain([
        ...noted('trust', relationship?.trust_level === undefined ? [] : [relationship.trust_level]),
        ...noted('preferred style', relationship?.preferred_style),
        ...noted('sensitive', relationship?.sensitivity_notes),
      ]),
    },
    {
      name: 'retrieval_hints',
      entries: plain([
        ...noted('must include', hints?.must_include),
        ...noted('avoid', hints?.avoid),
        ...noted('load next', hints?.load_next),
      ]),
    },
    {
      name: 'attention_policy',
      entries: plain([
        ...noted('load early', capsule.attention_policy?.early_load),
        ...noted('overrides', capsule.attention_policy?.presence_bias_overrides),
      ]),
    },
    {
      name: 'related_documents',
      entries: (state.related_documents ?? []).map(({ label, kind, path, relevance }) => ({
        text: `${label} (${relevance === undefined ? '' : `${relevance} `}${kind})`,
        notes: [path],
      })),
    },
    { name: 'canonical_sources', entries: plain(capsule.canonical_sources) },
    {
      name: 'metadata',
      entries: Object.entries(capsule.metadata).map(([key, value]) => ({ text: `${key}: ${String(value)}` })),
    },
    { name: 'source_inputs', entries: plain(capsule.source.inputs) },
  ];
}

export function showSection(page: Page, { name, entries, prose }: Section): void {
  page.heading(titleOf(name));
  for (const { text, notes } of entries) {
    if (prose) page.text({ text }, 2);
    else page.item('-', { text });
    for (const note of notes ?? []) page.text({ text: note, style: 'dim' }, 4);
  }
  if (entries.length === 0) page.text({ text: 'nothing', style: 'dim' }, 2);
}
