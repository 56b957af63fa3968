import type { CreateTaskRequest } from '@parley/protocol/knowledge/requests';
import type { GraphSummary, ScheduleContext } from '../memory/answers.ts';

export interface WriteAnswer {
  ok: true;
  path: string;
  /** False when exactly that was stored already. */
  committed: boolean;
  latest_commit: string | null;
}

export interface DocumentAnswer {
  ok: true;
  path: string;
  content: string;
}

export interface RebuildAnswer {
  ok: true;
  file_count: number;
  committed_files: string[];
  latest_commit: string | null;
}

export interface IncrementalAnswer extends RebuildAnswer {
  incremental: { changed_count: number; removed_count: number; unchanged_count: number };
}

export interface IndexStatusAnswer {
  ok: true;
  generated_at: string | null;
  file_count: number;
  sqlite_fts: boolean;
  state_file: boolean;
}

export interface FoundDocument {
  path: string;
  type: string;
  size: number;
  modified_at: string;
  snippet: string;
  tags: string[];
  importance: number | null;
  score: number | null;
}

export interface FoundAnswer {
  ok: true;
  count: number;
  results: FoundDocument[];
}

export interface Task extends Omit<CreateTaskRequest, 'commit_message'> {
  created_at: string;
  updated_at: string;
}

export interface TaskAnswer {
  ok: true;
  task: Task;
  path: string;
  latest_commit: string;
}

export interface TasksAnswer {
  ok: true;
  count: number;
  tasks: Task[];
}

export interface ContinuityState {
  present: boolean;
  requested_selectors: string[];
  omitted_selectors: string[];
  capsules: Record<string, unknown>[];
  selection_order: string[];
  budget: Record<string, number>;
  warnings: string[];
  fallback_used: boolean;
  recovery_warnings: string[];
  trust_signals: object | null;
  salience_metadata: object | null;
}

export interface RetrieveAnswer {
  ok: true;
  bundle: {
    task: string;
    generated_at: string;
    core_memory: { path: string; snippet: string }[];
    recent_relevant: (Pick<FoundDocument, 'path' | 'type' | 'snippet' | 'score'> & Partial<FoundDocument>)[];
    open_questions: string[];
    token_budget_hint: number;
    time_window_days: number;
    notes: string[];
    continuity_state: ContinuityState;
    graph_context: GraphSummary;
    schedule_context?: ScheduleContext;
  };
}
