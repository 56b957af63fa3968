import * as routes from '@parley/protocol/knowledge/routes';
import type {
  FoundAnswer,
  FoundDocument,
  IndexStatusAnswer,
  RebuildAnswer,
} from '@parley/protocol/knowledge/answers';
import type { RouteDeclaration } from '@parley/protocol/route';
import { MemoryError } from '@parley/sdk/memory/memory-error';
import type { RouteCaller } from '@parley/sdk/route-caller';
import type { Page } from '../memory/page.ts';
import { type MemoryCommandOptions, shown, withCaller } from '../memory/server-memory.ts';
import { type Column, showTable } from '../memory/table.ts';
import { moment } from '../memory/words.ts';
import { printNote } from '../output.ts';

interface FindOptions extends MemoryCommandOptions {
  type?: string[] | undefined;
  hours?: number | undefined;
  limit?: number | undefined;
}

export async function search(
  words: readonly string[],
  options: FindOptions & { recent?: boolean | undefined },
): Promise<void> {
  const sort = options.recent ? { sort_by: 'recent' } : {};
  await find(routes.search, { query: words.join(' '), ...filtersOf(options), ...sort }, options);
}

export async function list(options: FindOptions & { days?: number | undefined }): Promise<void> {
  await find(routes.recent, { ...filtersOf(options), time_window_days: options.days }, options);
}

const filtersOf = ({ type, hours, limit }: FindOptions): object => ({
  include_types: type,
  time_window_hours: hours,
  limit,
});

async function find(route: RouteDeclaration, body: object, options: FindOptions): Promise<void> {
  await withCaller(options, async (caller) => {
    const { count } = await shown<FoundAnswer>(
      caller,
      route,
      { body },
      options,
      showFound,
      ({ results }) => results,
    );
    if (count === 0 && (await isWithoutIndex(caller))) {
      printNote('there is no index yet, so nothing can be found; "parley doc index" makes it');
    }
  });
}

/** Not every key may ask. */
async function isWithoutIndex(caller: RouteCaller): Promise<boolean> {
  try {
    return (await caller.call(routes.indexStatus)).generated_at === null;
  } catch (error) {
    if (error instanceof MemoryError) return false;
    throw error;
  }
}

const COLUMNS: readonly Column[] = [
  { title: 'SCORE', rank: 3 },
  { title: 'PATH', rank: 0 },
  { title: 'TYPE', rank: 4 },
  { title: 'CHANGED', rank: 2 },
  { title: 'BEGINS', rank: 1, least: 16 },
];

function showFound(page: Page, { results }: FoundAnswer): void {
  if (results.length === 0) return page.aside('Nothing found.');
  showTable(
    page,
    COLUMNS,
    results.map((row) => ({ cells: cellsOf(row) })),
  );
}

const cellsOf = (row: FoundDocument) => [
  { text: row.score === null ? '' : String(row.score) },
  { text: row.path },
  { text: row.type },
  moment(row.modified_at),
  { text: row.snippet, style: 'dim' as const },
];

export async function index(options: MemoryCommandOptions & { status?: boolean | undefined }): Promise<void> {
  await withCaller(options, async (caller) => {
    if (options.status) {
      await shown<IndexStatusAnswer>(caller, routes.indexStatus, {}, options, showStatus);
      return;
    }
    await shown<RebuildAnswer>(caller, routes.rebuild, {}, options, (page, { file_count: files }) =>
      page.line([{ text: `${files} documents and tasks can be found` }]),
    );
  });
}

function showStatus(page: Page, { generated_at: made, file_count: files }: IndexStatusAnswer): void {
  if (made === null) page.line([{ text: 'no index yet; "parley doc index" makes it' }]);
  else page.line([{ text: `${files} documents and tasks, made ${made}` }]);
}
