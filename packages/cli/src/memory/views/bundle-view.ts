import type { RetrieveAnswer } from '@parley/protocol/knowledge/answers';
import { showGraph } from './graph-view.ts';
import type { Page } from '../page.ts';
import { plain, type Section, showSection, stance } from '../sections.ts';
import { nameOf } from '../words.ts';

type Bundle = RetrieveAnswer['bundle'];

/** What an agent begins a task with, in the order in which it reads it. */
export function showBundle(page: Page, bundle: Bundle): void {
  const { continuity_state: state, graph_context: graph, schedule_context: schedule } = bundle;
  for (const warning of [...state.warnings, ...state.recovery_warnings]) {
    page.item('!', { text: nameOf(warning), style: 'yellow' }, 0);
  }
  for (const capsule of state.capsules) showCapsule(page, capsule);
  const sections: Section[] = [
    { name: 'core_memory', entries: bundle.core_memory.map(({ path, snippet }) => noted(path, snippet)) },
    { name: 'documents', entries: bundle.recent_relevant.map(({ path, snippet }) => noted(path, snippet)) },
    { name: 'open_questions', entries: plain(bundle.open_questions) },
    { name: 'due', entries: plain(schedule?.due.items.map(asLine)) },
    { name: 'upcoming', entries: plain(schedule?.upcoming.items.map(asLine)) },
  ];
  for (const section of sections) if (section.entries.length > 0) showSection(page, section);
  if (graph.edges.length === 0) return;
  page.heading('Linked');
  showGraph(page, graph);
}

const noted = (text: string, note: string) => ({ text, notes: [note] });
const asLine = ({ due_at: dueAt, title }: { due_at: string; title: string }): string => `${dueAt} ${title}`;

const LISTS = ['top_priorities', 'active_constraints', 'open_loops', 'active_concerns', 'drift_signals'];

/** A capsule cut to a budget may lack any part. */
function showCapsule(page: Page, capsule: Readonly<Record<string, unknown>>): void {
  const { subject_kind: kind, subject_id: id, source_state: source } = capsule;
  const state = recordOf(capsule['continuity']);
  page.gap();
  page.text({ text: `${String(kind)}/${String(id)} (${String(source)})`, style: 'bold' });
  const said = state['stance_summary'];
  const sections = [
    stance(typeof said === 'string' ? said : ''),
    ...LISTS.map((name): Section => ({ name, entries: plain(textsOf(state[name])) })),
  ];
  for (const section of sections) if (section.entries.length > 0) showSection(page, section);
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
