import type { Database, Reader, Tx } from '../database/database.ts';
import { type Fixed, sql, type SqlQuery } from '../database/sql.ts';
import type { ClaimedJob, DeadJob, JobDefinition } from './job.ts';

/** A job as the statement that claims it returns it. */
type ClaimedRow = Omit<ClaimedJob, 'payload' | 'lease'> & { readonly payload: string };
const CLAIMED: Fixed = {
  text: `id, kind, grp AS "group", key, lane, payload, due_at AS "dueAt", created_at AS "createdAt", attempts AS attempt`,
};

export interface NewJob extends Pick<ClaimedJob, 'kind' | 'group' | 'key' | 'lane' | 'payload' | 'dueAt'> {
  readonly now: number;
}

type Held = Pick<ClaimedJob, 'id' | 'kind' | 'lane' | 'lease'>;

const LONGEST_ERROR = 500;

/** False when a live job already has the key. */
export async function insertJob(tx: Tx, job: NewJob): Promise<boolean> {
  const { kind, group, key, lane, dueAt, now } = job;
  const payload = JSON.stringify(job.payload ?? null);
  const blocked = lane !== null && (await laneIsBusy(tx, kind, lane)) ? 1 : 0;
  return await tx.affects(sql`
    INSERT INTO jobs (kind, grp, key, lane, payload, due_at, wake_at, blocked, created_at)
    VALUES (${kind}, ${group}, ${key}, ${lane}, ${payload}, ${dueAt}, ${dueAt}, ${blocked}, ${now})
    ON CONFLICT (kind, key) WHERE key IS NOT NULL AND dead_at IS NULL DO NOTHING`);
}

/** Which job was removed, held or not. The caller holds the key's lock, so the job cannot change its lane. */
export async function removeByKey(
  tx: Tx,
  kind: string,
  key: string,
): Promise<{ id: number; group: string } | undefined> {
  const present = await tx.get<{ id: number; group: string; lane: string | null }>(sql`
    SELECT id, grp AS "group", lane FROM jobs WHERE kind = ${kind} AND key = ${key} AND dead_at IS NULL`);
  if (!present) return undefined;
  const { id, group, lane } = present;
  const gone = sql`DELETE FROM jobs WHERE id = ${id} AND dead_at IS NULL`;
  return (await leaveLane(tx, { kind, lane }, gone)) ? { id, group } : undefined;
}

export interface Claim {
  readonly kind: string;
  readonly group: string;
  readonly limit: number;
  /** How many of the group may be held at once, where other nodes hold some too. */
  readonly mostHeld: number | undefined;
  readonly now: number;
  readonly leaseMs: number;
  readonly lease: string;
  readonly begin: JobDefinition<unknown>['begin'];
}

export interface Claimed {
  readonly taken: number;
  /** Those of them that are wanted. */
  readonly jobs: readonly ClaimedJob[];
  /** All that the group may hold is held, some of it by others. */
  readonly full: boolean;
}

/**
 * Takes up to `limit` due jobs of a group, earliest first. Rows another node is just claiming are passed over, not waited for;
 * where the nodes share what a group may hold, they claim one after the other.
 */
export async function claimJobs(database: Database, claim: Claim): Promise<Claimed> {
  const { begin, lease, limit } = claim;
  return await database.write(async (tx) => {
    const room = Math.min(limit, await roomOf(tx, claim));
    if (room <= 0) return { taken: 0, jobs: [], full: true };
    const rows = await tx.all<ClaimedRow>(claimQuery(tx, claim, room));
    const full = room < limit && rows.length === room;
    const claimed = rows.map((row) => ({ ...withPayload(row), lease })).toSorted(byDueTime);
    if (!begin || claimed.length === 0) return { taken: claimed.length, jobs: claimed, full };
    const wanted = new Set<unknown>(await begin(tx, claimed));
    await finishTogether(
      tx,
      lease,
      claimed.filter((job) => !wanted.has(job)),
    );
    return { taken: claimed.length, jobs: claimed.filter((job) => wanted.has(job)), full };
  });
}

/** Leases end within their time from now, by clocks that may be a little ahead of this one: later rows need no look. */
async function roomOf(tx: Tx, { kind, group, mostHeld, now, leaseMs }: Claim): Promise<number> {
  if (mostHeld === undefined) return Number.POSITIVE_INFINITY;
  await tx.lock(`job group ${kind} ${group}`);
  const held = await tx.total(sql`
    SELECT count(*) AS n FROM jobs
    WHERE kind = ${kind} AND grp = ${group} AND dead_at IS NULL AND blocked = 0
      AND wake_at > ${now} AND wake_at <= ${now + 2 * leaseMs} AND leased_by IS NOT NULL`);
  return mostHeld - held;
}

function claimQuery({ dialect }: Tx, { kind, group, now, leaseMs, lease }: Claim, room: number): SqlQuery {
  const until = now + leaseMs;
  return dialect === 'sqlite'
    ? sql`
    UPDATE jobs SET leased_by = ${lease}, wake_at = ${until}, attempts = attempts + 1 WHERE id IN (
      SELECT id FROM jobs
      WHERE kind = ${kind} AND grp = ${group} AND dead_at IS NULL AND blocked = 0 AND wake_at <= ${now}
      ORDER BY wake_at, id LIMIT ${room})
    RETURNING ${CLAIMED}`
    : sql`
    UPDATE jobs SET leased_by = ${lease}, wake_at = ${until}, attempts = attempts + 1 WHERE id = ANY(ARRAY(
      SELECT id FROM jobs
      WHERE kind = ${kind} AND grp = ${group} AND dead_at IS NULL AND blocked = 0 AND wake_at <= ${now}
      ORDER BY wake_at, id LIMIT ${room} FOR UPDATE SKIP LOCKED))
    RETURNING ${CLAIMED}`;
}

const byDueTime = (a: ClaimedJob, b: ClaimedJob): number => a.dueAt - b.dueAt || a.id - b.id;

export async function countWaiting(reader: Reader, kind: string, most: number): Promise<number> {
  return await reader.total(sql`
    SELECT count(*) AS n FROM (SELECT 1 FROM jobs WHERE kind = ${kind} AND dead_at IS NULL LIMIT ${most}) AS waiting`);
}

/** When a job of a group next needs a look: falls due, or its holder's lease ends. */
export async function nextWake(reader: Reader, kind: string, group: string): Promise<number | undefined> {
  return await reader.value<number>(sql`
    SELECT wake_at FROM jobs
    WHERE kind = ${kind} AND grp = ${group} AND dead_at IS NULL AND blocked = 0
    ORDER BY wake_at, id LIMIT 1`);
}

/**
 * The groups of a kind that have jobs, and when each needs a look. Steps from group to group along the index, so it costs the same however many jobs each has.
 */
export function waitingGroups(reader: Reader, kind: string): Promise<{ group: string; wakeAt: number }[]> {
  return reader.all<{ group: string; wakeAt: number }>(sql`
    WITH RECURSIVE groups (grp) AS (
      SELECT (SELECT min(grp) FROM jobs WHERE kind = ${kind} AND dead_at IS NULL AND blocked = 0)
      UNION ALL
      SELECT (SELECT min(grp) FROM jobs
              WHERE kind = ${kind} AND grp > groups.grp AND dead_at IS NULL AND blocked = 0)
      FROM groups WHERE groups.grp IS NOT NULL)
    SELECT grp AS "group", (
      SELECT min(wake_at) FROM jobs
      WHERE kind = ${kind} AND grp = groups.grp AND dead_at IS NULL AND blocked = 0) AS "wakeAt"
    FROM groups WHERE grp IS NOT NULL`);
}

/** False when the job is no longer held. */
export async function renewLease(tx: Tx, job: Held, until: number): Promise<boolean> {
  const { id, lease } = job;
  return await tx.affects(sql`UPDATE jobs SET wake_at = ${until} WHERE id = ${id} AND leased_by = ${lease}`);
}

export function finishJob(tx: Tx, job: Held): Promise<boolean> {
  const gone = sql`DELETE FROM jobs WHERE id = ${job.id} AND leased_by = ${job.lease}`;
  return leaveLane(tx, job, gone);
}

/** Jobs of one claim. Those of lanes go one by one, for each lets another begin. */
async function finishTogether(tx: Tx, lease: string, jobs: readonly Held[]): Promise<void> {
  for (const job of jobs) if (job.lane !== null) await finishJob(tx, job);
  const ids = jobs.filter(({ lane }) => lane === null).map(({ id }) => id);
  if (ids.length === 0) return;
  const list = JSON.stringify(ids);
  await tx.run(
    tx.dialect === 'sqlite'
      ? sql`DELETE FROM jobs WHERE leased_by = ${lease} AND id IN (SELECT value FROM json_each(${list}))`
      : sql`DELETE FROM jobs WHERE leased_by = ${lease} AND id = ANY(
          ARRAY(SELECT CAST(jsonb_array_elements_text(${list}::jsonb) AS bigint)))`,
  );
}

/** Puts a held job back to run at `dueAt`. */
export async function rescheduleJob(
  tx: Tx,
  job: Held,
  next: { dueAt: number; attempts: number; error: string | null },
): Promise<boolean> {
  const error = next.error?.slice(0, LONGEST_ERROR) ?? null;
  return await tx.affects(sql`
    UPDATE jobs SET due_at = ${next.dueAt}, wake_at = ${next.dueAt}, attempts = ${next.attempts},
      last_error = ${error}, leased_by = NULL
    WHERE id = ${job.id} AND leased_by = ${job.lease}`);
}

/** A dead job stays for inspection, out of the way of its lane and its key. */
export function buryJob(tx: Tx, job: Held, death: { now: number; error: string }): Promise<boolean> {
  const buried = sql`
    UPDATE jobs SET dead_at = ${death.now}, last_error = ${death.error.slice(0, LONGEST_ERROR)}, leased_by = NULL
    WHERE id = ${job.id} AND leased_by = ${job.lease}`;
  return leaveLane(tx, job, buried);
}

/** Of those who are gone: one holder, or all where no other process uses the store. */
export async function voidLeases(tx: Tx, holder?: string): Promise<void> {
  await tx.run(
    holder === undefined
      ? sql`UPDATE jobs SET leased_by = NULL, wake_at = due_at WHERE leased_by IS NOT NULL`
      : sql`UPDATE jobs SET leased_by = NULL, wake_at = due_at WHERE leased_by LIKE ${`${holder}/%`}`,
  );
}

export async function listDead(reader: Reader, limit: number): Promise<DeadJob[]> {
  const rows = await reader.all<DeadJob & { payload: string }>(sql`
    SELECT id, kind, key, attempts, payload, last_error AS error, dead_at AS "diedAt"
    FROM jobs WHERE dead_at IS NOT NULL ORDER BY dead_at DESC, id DESC LIMIT ${limit}`);
  return rows.map((row) => withPayload(row));
}

/** When the job died that has been dead for longest. */
export async function oldestDeath(reader: Reader): Promise<number | undefined> {
  return await reader.value<number>(sql`
    SELECT dead_at FROM jobs WHERE dead_at IS NOT NULL ORDER BY dead_at, id LIMIT 1`);
}

/** Removes up to `limit` jobs that died at `diedBy` or before, longest dead first; how many there were. */
export function removeDead(tx: Tx, diedBy: number, limit: number): Promise<number> {
  return tx.run(sql`
    DELETE FROM jobs WHERE id IN (
      SELECT id FROM jobs WHERE dead_at IS NOT NULL AND dead_at <= ${diedBy} ORDER BY dead_at, id LIMIT ${limit})`);
}

export async function lockKey(tx: Tx, kind: string, key: string): Promise<void> {
  await tx.lock(`job key ${kind} ${key}`);
}

/** Whoever adds to a lane and whoever moves it on must see each other, or the next job would stay blocked for ever. */
async function lockLane(tx: Tx, kind: string, lane: string): Promise<void> {
  await tx.lock(`job lane ${kind} ${lane}`);
}

export async function laneIsBusy(tx: Tx, kind: string, lane: string): Promise<boolean> {
  await lockLane(tx, kind, lane);
  return await tx.exists(sql`
    SELECT id FROM jobs WHERE kind = ${kind} AND lane = ${lane} AND dead_at IS NULL LIMIT 1`);
}

/** What takes a job away lets the next of its lane begin. False when there was no such job. */
async function leaveLane(
  tx: Tx,
  { kind, lane }: Pick<Held, 'kind' | 'lane'>,
  taken: SqlQuery,
): Promise<boolean> {
  if (lane !== null) await lockLane(tx, kind, lane);
  const left = await tx.affects(taken);
  if (left && lane !== null) await openLane(tx, kind, lane);
  return left;
}

async function openLane(tx: Tx, kind: string, lane: string): Promise<void> {
  await tx.run(sql`
    UPDATE jobs SET blocked = 0 WHERE blocked = 1 AND id = (
      SELECT min(id) FROM jobs WHERE kind = ${kind} AND lane = ${lane} AND dead_at IS NULL)`);
}

const withPayload = <Row extends { readonly payload: string }>(row: Row) => ({
  ...row,
  payload: JSON.parse(row.payload) as unknown,
});
