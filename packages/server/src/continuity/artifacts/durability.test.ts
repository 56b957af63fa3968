import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { migrate } from '../../platform/database/migrations.ts';
import { sql } from '../../platform/database/sql.ts';
import { jobMigrations } from '../../platform/jobs/migrations.ts';
import { streamMigrations } from '../../platform/streams/migrations.ts';
import { type Child, startChild } from '../../testing/child-program.ts';
import { describeEachDatabase } from '../../testing/databases.ts';
import { sha256 } from '../capsule/canonical.ts';
import { continuityMigrations } from '../migrations.ts';
import { findActive, findFallback } from './stored-capsule.ts';
import { subjectOf } from '../capsule/subject.ts';

const ROUNDS = 4;
const SUBJECTS = 6;

/** The last number of each subject that a caller was told is kept. */
function lastAcked({ lines }: Child): Map<string, number> {
  const last = new Map<string, number>();
  for (const line of lines) {
    const [word, id = '', number] = line.split(' ');
    if (word === 'acked') last.set(id, Number(number));
  }
  return last;
}

describeEachDatabase('continuity › kill -9', (open, { location }) => {
  test('a capsule, its snapshot and its history are always whole, and nothing acknowledged is lost', async () => {
    const at = await location();
    const setup = await open({ at });
    await migrate(setup, [jobMigrations, streamMigrations, continuityMigrations], () => 0);
    await setup.close();
    let next = 1;
    for (let round = 0; round < ROUNDS; round++) {
      const child = await startChild('write-capsules', [JSON.stringify(at), String(SUBJECTS), String(next)]);
      await expect.poll(() => child.lines.length >= 60 && lastAcked(child).size === SUBJECTS).toBe(true);
      // A different moment of the commit each time.
      await sleep(round * 3);
      await child.kill();
      const acked = lastAcked(child);

      const db = await open({ at });
      for (let index = 0; index < SUBJECTS; index++) {
        const subject = subjectOf('thread', `s${index}`);
        const active = await findActive(db.read, 'owner', subject);
        if (active.kind !== 'present') throw new Error(`s${index} is ${active.kind}`);
        const { capsule } = active.loaded;
        const [loop = ''] = capsule.continuity.open_loops;
        const number = Number(loop.slice('number '.length));
        expect(number).toBeGreaterThanOrEqual(acked.get(`s${index}`) ?? 0);
        expect(capsule.thread_descriptor).toMatchObject({
          keywords: [`k${number % 5}`],
          lifecycle: 'active',
        });
        expect(active.row.sha256).toBe(sha256(active.row.document ?? ''));
        const fallback = await findFallback(db.read, 'owner', subject);
        expect(fallback?.capsule).toEqual(capsule);
        const revisions = await db.read.all<{ number: number; sha256: string; document: string }>(sql`
          SELECT number, sha256, document FROM continuity_revisions
          WHERE owner_id = 'owner' AND kind = 'thread' AND slug = ${subject.slug} ORDER BY number`);
        expect(revisions.at(-1)?.sha256).toBe(active.row.sha256);
        for (const revision of revisions) expect(sha256(revision.document)).toBe(revision.sha256);
        const terms = await db.read.all<{ term: string }>(sql`
          SELECT term FROM continuity_terms WHERE owner_id = 'owner' AND slug = ${subject.slug} ORDER BY state`);
        expect(terms.map(({ term }) => term)).toEqual([`k:k${number % 5}`]);
        next = Math.max(next, number + 1);
      }
      const [events, written] = await Promise.all([
        db.read.get<{ count: number }>(sql`SELECT COUNT(*) AS count FROM stream_events`),
        db.read.get<{ count: number }>(sql`
          SELECT SUM(number) AS count FROM (
            SELECT MAX(number) AS number FROM continuity_revisions GROUP BY kind, slug) AS newest`),
      ]);
      expect(events?.count).toBe(written?.count);
      await db.close();
    }
    expect(next).toBeGreaterThan(ROUNDS * 5);
  }, 120_000);
});
