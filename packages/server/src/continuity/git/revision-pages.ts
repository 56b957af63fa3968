import { systemClock } from '../../platform/clock.ts';
import type { Database, Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { newestRevisionId, type Operation } from '../revision-store.ts';

/** A revision with what it says of the files. */
export interface ExportedRevision {
  readonly id: number;
  readonly number: number;
  readonly kind: string;
  readonly slug: string;
  readonly operation: Operation;
  readonly path: string;
  /** A JSON list. */
  readonly removed_paths: string | null;
  readonly recorded_at: number;
  readonly peer_id: string;
  readonly commit_message: string;
  readonly document: string | null;
  readonly raw: Uint8Array | null;
}

const PAGE = 100;

/** Everything an owner's revisions say, oldest first, a page at a time. */
export async function* revisionsBetween(
  reader: Reader,
  ownerId: string,
  after: number,
  last: number,
): AsyncGenerator<ExportedRevision> {
  for (let from = after; ; ) {
    const rows = await reader.all<ExportedRevision>(sql`
      SELECT id, number, kind, slug, operation, path, removed_paths, recorded_at, peer_id, commit_message,
        document, raw
      FROM continuity_revisions
      WHERE owner_id = ${ownerId} AND id > ${from} AND id <= ${last}
      ORDER BY id LIMIT ${PAGE}`);
    yield* rows;
    const end = rows.at(-1);
    if (!end || rows.length < PAGE) return;
    from = end.id;
  }
}

/** The newest revision of anybody; 0 when there is none. */
export async function newestOfAll(reader: Reader): Promise<number> {
  const row = await reader.get<{ id: number | null }>(sql`SELECT MAX(id) AS id FROM continuity_revisions`);
  return row?.id ?? 0;
}

/** Who has written since, and the newest revision of each. */
export function newestByOwner(
  reader: Reader,
  after: number,
): Promise<readonly { owner_id: string; id: number }[]> {
  return reader.all(
    sql`SELECT owner_id, MAX(id) AS id FROM continuity_revisions WHERE id > ${after} GROUP BY owner_id`,
  );
}

/** One step in the index for each owner, however much they wrote. */
export async function* ownersWithRevisions(reader: Reader): AsyncGenerator<string> {
  for (let last = ''; ; ) {
    const next: { owner_id: string | null } | undefined = await reader.get(
      sql`SELECT MIN(owner_id) AS owner_id FROM continuity_revisions WHERE owner_id > ${last}`,
    );
    if (!next?.owner_id) return;
    last = next.owner_id;
    yield last;
  }
}

export async function recordedAt(reader: Reader, ownerId: string, id: number): Promise<number | undefined> {
  const row = await reader.get<{ recorded_at: number }>(
    sql`SELECT recorded_at FROM continuity_revisions WHERE owner_id = ${ownerId} AND id = ${id}`,
  );
  return row?.recorded_at;
}

export async function oldestRecordedAt(reader: Reader, ownerId: string): Promise<number | undefined> {
  const row = await reader.get<{ recorded_at: number }>(
    sql`SELECT recorded_at FROM continuity_revisions WHERE owner_id = ${ownerId} ORDER BY id LIMIT 1`,
  );
  return row?.recorded_at;
}

/** What a subject had at a path before one of its revisions, if that is still kept. */
export function contentBefore(
  reader: Reader,
  ownerId: string,
  { kind, slug, number }: Pick<ExportedRevision, 'kind' | 'slug' | 'number'>,
  path: string,
): Promise<Pick<ExportedRevision, 'document' | 'raw'> | undefined> {
  return reader.get(sql`
    SELECT document, raw FROM continuity_revisions
    WHERE owner_id = ${ownerId} AND kind = ${kind} AND slug = ${slug} AND number < ${number} AND path = ${path}
      AND (document IS NOT NULL OR raw IS NOT NULL)
    ORDER BY number DESC LIMIT 1`);
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
export async function settledHead({ dialect, read }: Database, ownerId: string): Promise<number> {
  const head = (await newestRevisionId(read, ownerId)) ?? 0;
  if (dialect === 'sqlite') return head;
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

async function openWriters(reader: Reader): Promise<Set<string>> {
  const rows = await reader.all<{ tx: string }>(sql`
    SELECT pid || ' ' || virtualtransaction AS tx FROM pg_locks
    WHERE locktype = 'relation' AND relation = 'continuity_revisions'::regclass AND mode = 'RowExclusiveLock'
      AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
  return new Set(rows.map(({ tx }) => tx));
}
