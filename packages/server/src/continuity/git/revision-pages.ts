import { systemClock } from '../../platform/clock.ts';
import type { Reader } from '../../platform/database/database.ts';
import { pages } from '../../platform/database/pages.ts';
import { newestRevisionId, type RevisionRow } from '../artifacts/revision-store.ts';
import { openWriters, ownerAfter, revisionPage } from './export-store.ts';

const PAGE = 100;

/** Everything an owner's revisions say, oldest first, a page at a time. */
export async function* revisionsBetween(
  reader: Reader,
  ownerId: string,
  after: number,
  last: number,
): AsyncGenerator<RevisionRow> {
  const all = pages<RevisionRow>(PAGE, (end) => revisionPage(reader, ownerId, end?.id ?? after, last, PAGE));
  for await (const rows of all) yield* rows;
}

export async function* ownersWithRevisions(reader: Reader): AsyncGenerator<string> {
  for (let last = ''; ; ) {
    const next = await ownerAfter(reader, last);
    if (next === undefined) return;
    last = next;
    yield last;
  }
}

const POLL_MS = 10;
const LONGEST_WAIT_MS = 10_000;

/**
 * The newest revision of an owner below which nothing can appear any more.
 *
 * PostgreSQL gives out numbers when rows are written and shows rows when they are committed, so a lower number may show
 * up after a higher one. Whoever might still do that holds a lock on the table while its transaction is open: those who
 * do now are waited for, and nobody who comes later, since their numbers are higher.
 */
export async function settledHead(read: Reader, ownerId: string): Promise<number> {
  const head = (await newestRevisionId(read, ownerId)) ?? 0;
  if (read.dialect === 'sqlite') return head;
  const deadline = systemClock.monotonic() + LONGEST_WAIT_MS;
  for (let open = await openWriters(read); open.size > 0; ) {
    if (systemClock.monotonic() > deadline) {
      throw new Error(
        'a write has been under way for ten seconds; its revision cannot be told from later ones',
      );
    }
    await new Promise<void>((resolve) => void systemClock.after(POLL_MS, resolve));
    const now = await openWriters(read);
    open = new Set([...open].filter((each) => now.has(each)));
  }
  return head;
}
