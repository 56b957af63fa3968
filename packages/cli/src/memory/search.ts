import * as routes from '@parley/protocol/continuity/routes';
import type { SubjectKind } from '@parley/protocol/continuity/vocabulary';
import type { SearchAnswer } from '@parley/protocol/continuity/list-answers';
import { stateOf } from './list.ts';
import type { Page } from './page.ts';
import { answered, type MemoryCommandOptions, withMemory } from './server-memory.ts';
import { spelled } from './subject.ts';
import { nameOf, titleOf } from './words.ts';

export interface SearchOptions extends MemoryCommandOptions {
  kind?: SubjectKind | undefined;
  archived?: boolean | undefined;
  limit?: number | undefined;
}

export async function search(words: readonly string[], options: SearchOptions): Promise<void> {
  const request = {
    query: words.join(' '),
    subject_kind: options.kind,
    include_archived: options.archived,
    limit: options.limit,
  };
  await withMemory(options, (memory) =>
    answered<SearchAnswer>(memory, routes.search, request, options, showSearch, ({ results }) => results),
  );
}

function showSearch(page: Page, { results, query }: SearchAnswer): void {
  if (results.length === 0) page.aside(`No capsule says ${query}`);
  for (const row of results) {
    const label = row.thread_descriptor?.label;
    const facts = [stateOf(row), row.phase && nameOf(row.phase), row.health_status].filter((each) => each);
    page.gap();
    page.text({ text: spelled(row) + (label === undefined ? '' : `: ${label}`), style: 'bold' });
    page.text({ text: row.archive_path ?? row.cold_stub_path ?? facts.join(', '), style: 'dim' }, 2);
    for (const { field, snippet } of row.matches) page.item('-', { text: `${titleOf(field)}: ${snippet}` });
  }
}
