import type { GraphSection } from '@parley/protocol/continuity/startup-answer';
import type { Answer } from '../../testing/http-client.ts';
import type { ContinuityState } from '../retrieve/continuity-state.ts';
import type { Library } from './library.ts';

export interface Bundle {
  task: string;
  generated_at: string;
  core_memory: { path: string; snippet: string }[];
  recent_relevant: { path: string; type: string; snippet: string; score: number }[];
  open_questions: string[];
  token_budget_hint: number;
  time_window_days: number;
  notes: string[];
  continuity_state: Omit<ContinuityState, 'capsules' | 'budget'> & {
    capsules: {
      subject_id: string;
      source_state: string;
      trust_signals: Trust | null;
      salience: { rank: number } | null;
    }[];
    budget: Record<string, number>;
  };
  graph_context: GraphSection;
  schedule_context?: object;
}

interface Trust {
  compact?: true;
  completeness: { trimmed: boolean; trimmed_fields?: string[] };
  scope_match: { exact: boolean };
}

export const retrieve = (library: Library, body: object): Promise<Answer<{ bundle: Bundle }>> =>
  library.post<{ bundle: Bundle }>('/v1/context/retrieve', { task: 'x', ...body });

/** The bundle, or the test fails. */
export async function bundleOf(library: Library, body: object): Promise<Bundle> {
  const answer = await retrieve(library, body);
  if (answer.status !== 200) throw new Error(`not retrieved: ${answer.text}`);
  return answer.body.bundle;
}

/** A capsule that points at documents. */
export const pointing = (...paths: string[]) => ({
  continuity: { related_documents: paths.map((path) => ({ path, kind: 'spec', label: path })) },
});
