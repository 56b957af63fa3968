import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import type { RowOf } from '../../platform/database/table.ts';
import { files } from '../documents/file-table.ts';
import type { IndexRow } from '../index/index-store.ts';
import { FileSet } from '../index/file-set.ts';

const changed = files.pick('id', 'path', 'size', 'revision_id', 'importance_points');
export type ChangedFile = RowOf<typeof changed>;

/** More at once, and everything is read again. */
const MOST_AT_ONCE = 500;
/** What is older is forgotten. */
const KEPT = 2_000;

/** Which of an owner's files changed since when, and which of them say that they are important. */
export class ChangeLog {
  /** Of which state of the index. */
  readonly mark: string;
  /** In points of a search, by file. */
  readonly importance: ReadonlyMap<number, number>;
  readonly important: FileSet;
  /** Changes after this one are known, up to `latest`. */
  readonly since: number;
  readonly latest: number;
  readonly #changes: readonly ChangedFile[];

  private constructor(
    mark: string,
    importance: ReadonlyMap<number, number>,
    changes: readonly ChangedFile[],
    [since, latest]: readonly [number, number],
    important = new FileSet(Float64Array.from(importance.keys())),
  ) {
    this.mark = mark;
    this.importance = importance;
    this.important = important;
    this.since = since;
    this.latest = latest;
    this.#changes = changes;
  }

  /** Begins now. */
  static async begin(reader: Reader, index: IndexRow): Promise<ChangeLog> {
    // First: what changes while the rest is read is found by the next search.
    const latest = await reader.total(sql`
      SELECT revision_id FROM knowledge_files
      WHERE owner_id = ${index.owner_id} ORDER BY revision_id DESC LIMIT 1`);
    const rows = await reader.all<Pick<ChangedFile, 'id' | 'importance_points'>>(sql`
      SELECT id, importance_points FROM knowledge_files
      WHERE owner_id = ${index.owner_id} AND importance_points <> 0`);
    const importance = new Map(rows.map(({ id, importance_points: points }) => [id, points]));
    return new ChangeLog(markOf(index), importance, [], [latest, latest]);
  }

  /** What changed meanwhile. */
  more(reader: Reader, ownerId: string): Promise<ChangedFile[]> {
    return changesAfter(reader, ownerId, this.latest);
  }

  /** With what changed meanwhile. */
  async upToDate(reader: Reader, index: IndexRow, more: readonly ChangedFile[]): Promise<ChangeLog> {
    if (this.mark !== markOf(index)) return await ChangeLog.begin(reader, index);
    const last = more.at(-1);
    if (!last) return this;
    if (more.length > MOST_AT_ONCE) return await ChangeLog.begin(reader, index);
    const all = [...this.#changes, ...more];
    const forgotten = all.splice(0, Math.max(0, all.length - KEPT));
    const span = [forgotten.at(-1)?.revision_id ?? this.since, last.revision_id] as const;
    const touched = more.some(
      ({ id, importance_points: points }) => points !== (this.importance.get(id) ?? 0),
    );
    if (!touched) return new ChangeLog(this.mark, this.importance, all, span, this.important);
    const importance = new Map(this.importance);
    for (const { id, importance_points: points } of more) {
      if (points === 0) importance.delete(id);
      else importance.set(id, points);
    }
    return new ChangeLog(this.mark, importance, all, span);
  }

  /** Undefined when that is too long ago to know. */
  changedAfter(revision: number): readonly ChangedFile[] | undefined {
    if (revision < this.since) return undefined;
    if (revision >= this.latest) return [];
    const newest = new Map<number, ChangedFile>();
    for (const change of this.#changes) if (change.revision_id > revision) newest.set(change.id, change);
    return [...newest.values()];
  }
}

/** A rebuild makes everything anew. */
const markOf = ({ id, generation, generated_at: at }: IndexRow): string => `${id} ${generation} ${at}`;

/** An owner's writers take turns, so none with an earlier number comes to light later. */
const changesAfter = (reader: Reader, ownerId: string, revision: number): Promise<ChangedFile[]> =>
  reader.all(changed.select`
    WHERE owner_id = ${ownerId} AND revision_id > ${revision}
    ORDER BY revision_id LIMIT ${MOST_AT_ONCE + 1}`);
