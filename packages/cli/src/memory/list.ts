import * as routes from '@parley/protocol/continuity/routes';
import type { SentList } from '@parley/protocol/continuity/sent';
import type { Lifecycle, SubjectKind } from '@parley/protocol/continuity/vocabulary';
import type { ListAnswer, ListRow } from '@parley/protocol/continuity/list-answers';
import { printNote } from '../output.ts';
import type { Page, Styled } from './page.ts';
import { answered, type MemoryCommandOptions, withMemory } from './server-memory.ts';
import { spelled } from './subject.ts';
import { type Column, showTable } from './table.ts';
import { healthWords, moment, nameOf, phaseWords, verificationWords } from './words.ts';

export interface ListOptions extends MemoryCommandOptions {
  kind?: SubjectKind | undefined;
  lifecycle?: Lifecycle | undefined;
  label?: string | undefined;
  keyword?: string | undefined;
  scope?: string | undefined;
  anchorKind?: string | undefined;
  anchorValue?: string | undefined;
  fallback?: boolean | undefined;
  archived?: boolean | undefined;
  cold?: boolean | undefined;
  sort?: 'default' | 'salience' | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export async function list(options: ListOptions): Promise<void> {
  const request: SentList = {
    subject_kind: options.kind,
    lifecycle: options.lifecycle,
    label_exact: options.label,
    keyword: options.keyword,
    scope_anchor: options.scope,
    anchor_kind: options.anchorKind,
    anchor_value: options.anchorValue,
    include_fallback: options.fallback,
    include_archived: options.archived,
    include_cold: options.cold,
    sort: options.sort,
    limit: options.limit,
    // The server tells where to go on only to whoever asks.
    cursor: options.cursor ?? '',
  };
  await withMemory(options, (memory) =>
    answered<ListAnswer>(memory, routes.list, request, options, showList, rowsOf),
  );
}

/** The cursor is no row: it is told beside them. */
function rowsOf({ capsules, next_cursor: next }: ListAnswer): readonly object[] {
  if (next !== undefined) printNote(`more with --cursor ${next}`);
  return capsules;
}

const COLUMNS: readonly Column[] = [
  { title: '#', rank: 1 },
  { title: 'SUBJECT', rank: 0, least: 20 },
  { title: 'STATE', rank: 3 },
  { title: 'FRESHNESS', rank: 2 },
  { title: 'HEALTH', rank: 4 },
  { title: 'VERIFIED', rank: 7 },
  { title: 'UPDATED', rank: 5 },
  { title: 'LABEL', rank: 6, least: 12 },
];

function showList(page: Page, { capsules, next_cursor: next }: ListAnswer): void {
  if (capsules.length === 0) {
    page.aside('No capsules.');
    return;
  }
  showTable(
    page,
    COLUMNS,
    capsules.map((row) => ({ cells: cellsOf(row), note: row.archive_path ?? row.cold_stub_path })),
  );
  if (!page.terminal.piped) page.gap();
  page.aside(`${capsules.length} ${capsules.length === 1 ? 'capsule' : 'capsules'}`, 'dim');
  if (next !== undefined) page.aside(`More with --cursor ${next}`, 'dim');
}

function cellsOf(row: ListRow): Styled[] {
  const { phase, health_status: health, verification_status: verification, salience_rank: rank } = row;
  return [
    { text: rank == null ? '' : String(rank) },
    { text: spelled(row) },
    { text: stateOf(row), style: row.artifact_state === 'active' ? undefined : 'dim' },
    phase ? { text: nameOf(phase), style: phaseWords(phase).style } : { text: '' },
    health ? { text: health, style: healthWords(health).style } : { text: '' },
    verification
      ? { text: nameOf(verification), style: verificationWords(verification).style }
      : { text: '' },
    moment(row.updated_at ?? row.archived_at ?? null),
    { text: row.thread_descriptor?.label ?? '' },
  ];
}

/** Where it is kept, unless that is the usual place, and how far it has come. */
export function stateOf({ artifact_state: kept, thread_descriptor: descriptor }: ListRow): string {
  const lifecycle = descriptor?.lifecycle;
  if (kept === 'active') return lifecycle ?? 'active';
  return lifecycle === undefined || lifecycle === 'active' ? kept : `${kept}, ${lifecycle}`;
}
