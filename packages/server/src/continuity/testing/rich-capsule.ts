import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { baseCapsule, type SentCapsule, T } from './base-capsule.ts';

const TEXT = 'the parser keeps its place while the printer waits for the tree '.repeat(10);
/** Ends in a word: nobody writes blanks at the end of a note. */
const words = (length: number, seed: string): string => `${seed} ${TEXT}`.slice(0, length).trimEnd();
const list = (count: number, length: number, seed: string): string[] =>
  Array.from({ length: count }, (_, index) => words(length, `${seed}${index}`));

/** About 14 KB in every section, as an agent with a lot on its mind would write it. */
export function richCapsule(kind: SubjectKind, id: string, at: string = T(1)): SentCapsule {
  const personal = kind === 'user' || kind === 'peer';
  return baseCapsule(kind, id, at, {
    source: { producer: 'rich agent', update_reason: 'pre_compaction', inputs: list(8, 80, 'input') },
    attention_policy: { early_load: ['memory/core/a.md'], presence_bias_overrides: list(4, 100, 'bias') },
    freshness: { freshness_class: 'durable' },
    canonical_sources: ['memory/core/a.md', 'memory/core/b.md', 'projects/parser/notes.md'],
    metadata: { project: 'apollo', sprint: 7, urgent: true, note: null },
    ...(personal
      ? {
          stable_preferences: Array.from({ length: 10 }, (_, index) => ({
            tag: `preference-${index}`,
            content: words(120, 'c'),
          })),
        }
      : {
          thread_descriptor: {
            label: `Thread ${id}`,
            keywords: ['parser', 'printer', 'tree'],
            scope_anchors: ['user:stef'],
            identity_anchors: [{ kind: 'repo', value: `org/${id}` }],
          },
        }),
    continuity: {
      top_priorities: list(8, 110, 'priority'),
      active_concerns: list(5, 110, 'concern'),
      active_constraints: list(8, 110, 'constraint'),
      open_loops: list(8, 110, 'loop'),
      stance_summary: words(220, 'stance'),
      drift_signals: list(5, 100, 'drift'),
      working_hypotheses: list(5, 100, 'hypothesis'),
      long_horizon_commitments: list(5, 100, 'commitment'),
      session_trajectory: list(5, 70, 'turn'),
      negative_decisions: Array.from({ length: 4 }, (_, index) => ({
        decision: words(90, `decision${index}`),
        rationale: words(130, 'because'),
      })),
      trailing_notes: list(3, 90, 'note'),
      curiosity_queue: list(5, 90, 'question'),
      rationale_entries: Array.from({ length: 6 }, (_, index) => ({
        tag: `rationale-${index}`,
        kind: 'decision' as const,
        status: 'active' as const,
        summary: words(150, 'summary'),
        reasoning: words(260, 'reason'),
        alternatives_considered: list(2, 60, 'alternative'),
        depends_on: list(1, 50, 'dependency'),
      })),
      related_documents: Array.from({ length: 4 }, (_, index) => ({
        path: `docs/parser-${index}.md`,
        kind: 'design',
        label: `Parser design ${index}`,
      })),
      relationship_model: { trust_level: 'high', preferred_style: list(3, 60, 'style') },
      retrieval_hints: { must_include: list(4, 80, 'must'), load_next: ['memory/core/c.md'] },
    },
  });
}
