import { expect, test } from 'vitest';
import { describeEachDatabase } from '../../testing/databases.ts';
import { UnknownJobKindError } from './errors.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { createJobs, gate, idle, openStore } from './testing/job-harness.ts';

/** Who waits for a lock that another transaction holds. */
const waiting = (db: Database): Promise<number> =>
  db.read.total(sql`
    SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);

describeEachDatabase('jobs', (open) => {
  test('run in the order they are due, then leave the store', async () => {
    const { clock, jobs, ran, record, enqueue, stored } = createJobs(await openStore(open));
    record('note', { concurrency: 1 });
    const now = clock.now();
    await enqueue('note', 'third', { dueAt: now - 1 });
    await enqueue('note', 'first', { dueAt: now - 3 });
    await enqueue('note', { second: ['é', 1.5, null] }, { dueAt: now - 2 });
    await jobs.start();
    await expect.poll(() => stored()).toBe(0);
    expect(ran).toEqual(['first', { second: ['é', 1.5, null] }, 'third']);
    await jobs.stop();
  });

  test('a future job runs when its time has come, not before', async () => {
    const { clock, jobs, ran, record, enqueue } = createJobs(await openStore(open));
    record('note');
    await jobs.start();
    await enqueue('note', 'later', { dueAt: clock.now() + 86_400_000 });
    await enqueue('note', 'soon', { dueAt: clock.now() + 60_000 });
    await clock.advance(59_999);
    expect(ran).toEqual([]);
    await clock.advance(1);
    await expect.poll(() => ran).toEqual(['soon']);
    await clock.advance(86_400_000);
    await expect.poll(() => ran).toEqual(['soon', 'later']);
    await jobs.stop();
  });

  test('an insert wakes the runner without any time passing', async () => {
    const { jobs, ran, record, enqueue } = createJobs(await openStore(open));
    record('note');
    await jobs.start();
    for (let round = 1; round <= 3; round++) {
      await enqueue('note', round);
      await expect.poll(() => ran).toHaveLength(round);
    }
    expect(ran).toEqual([1, 2, 3]);
    await jobs.stop();
  });

  test('a cause that is rolled back leaves no job', async () => {
    const { db, jobs, ran, record, enqueue, stored } = createJobs(await openStore(open));
    record('note');
    await jobs.start();
    const cause = db.write(async (tx) => {
      await jobs.enqueue(tx, 'note', 'never');
      throw new Error('undone');
    });
    await expect(cause).rejects.toThrow('undone');
    await enqueue('note', 'after');
    await expect.poll(() => stored()).toBe(0);
    expect(ran).toEqual(['after']);
    await jobs.stop();
  });

  test('a key keeps, replaces and cancels', async () => {
    const { db, clock, jobs, ran, record, enqueue } = createJobs(await openStore(open));
    record('note');
    record('other');
    const dueAt = clock.now() + 1_000;
    expect(await enqueue('note', 'kept', { key: 'a', dueAt })).toBe(true);
    expect(await enqueue('note', 'dropped', { key: 'a', dueAt })).toBe(false);
    await enqueue('note', 'old', { key: 'b', dueAt });
    expect(await enqueue('note', 'new', { key: 'b', dueAt: dueAt + 5, onConflict: 'replace' })).toBe(true);
    await enqueue('note', 'cancelled', { key: 'c', dueAt });
    await enqueue('other', 'same key, other kind', { key: 'a', dueAt: dueAt + 10 });
    expect(await db.write((tx) => jobs.cancel(tx, 'note', 'c'))).toBe(true);
    expect(await db.write((tx) => jobs.cancel(tx, 'note', 'c'))).toBe(false);
    await jobs.start();
    await clock.advance(1_000);
    await expect.poll(() => ran).toEqual(['kept']);
    await clock.advance(10);
    await expect.poll(() => new Set(ran)).toEqual(new Set(['kept', 'new', 'same key, other kind']));
    expect(await enqueue('note', 'again', { key: 'a' })).toBe(true);
    await expect.poll(() => ran).toContain('again');
    await jobs.stop();
  });

  test('50 racing inserts of one key store one job', async () => {
    const { jobs, ran, record, enqueue, stored } = createJobs(await openStore(open));
    record('note');
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, n) => enqueue('note', n, { key: 'one' })),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    await jobs.start();
    await expect.poll(() => stored()).toBe(0);
    expect(ran).toHaveLength(1);
    await jobs.stop();
  });

  test('what is stored while a job looks for what comes next is among it', async () => {
    const { db, clock, jobs, enqueue, stored } = createJobs(await openStore(open));
    await db.write((tx) => tx.run(sql`CREATE TABLE notes (due_at bigint NOT NULL)`));
    const asked = gate();
    const found: (number | undefined)[] = [];
    jobs.defineWrite('sweep', async (tx) => {
      await jobs.settleKey(tx, 'sweep', 'all');
      const next = await tx.value<number>(sql`SELECT min(due_at) AS at FROM notes`);
      found.push(next);
      return next;
    });
    await enqueue('sweep', null, { key: 'all' });
    const dueAt = clock.now() + 86_400_000;
    const writing = db.write(async (tx) => {
      await tx.run(sql`INSERT INTO notes (due_at) VALUES (${dueAt})`);
      // The job is there, so no other is made: this one has to see the note.
      expect(await jobs.enqueue(tx, 'sweep', null, { key: 'all', dueAt })).toBe(false);
      asked.open();
      // SQLite has one writer: there the job begins when this one is through.
      if (db.dialect === 'postgres')
        await expect.poll(async () => found.length + (await waiting(db))).toBeGreaterThan(0);
    });
    await asked.opened;
    await jobs.start();
    await writing;
    await expect.poll(() => found).toEqual([dueAt]);
    await idle(db);
    expect(await stored()).toBe(1);
    await jobs.stop();
  });

  test('a kind nobody defined is refused when it is enqueued', async () => {
    const { enqueue, jobs, record } = createJobs(await openStore(open));
    await expect(enqueue('unheard', {})).rejects.toThrow(UnknownJobKindError);
    record('note');
    expect(() => record('note')).toThrow(/twice/);
    await jobs.stop();
  });
});
