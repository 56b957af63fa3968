import { expect, test } from 'vitest';
import { sql } from '../platform/database/sql.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { coordinationScene, must } from './testing/coordination-scene.ts';

const DAY_MS = 86_400_000;

describeEachServer('handoffs that were answered', (start) => {
  test('go after their time, and those that wait stay', async () => {
    const { a, b, clock, server, owner } = await coordinationScene(start, { handoffsKeptDays: 30 });
    const waits = await a.handed('b');
    const early = await a.handed('b');
    must(await b.consume(early.handoff_id, { status: 'accepted_advisory' }));
    await clock.leap(20 * DAY_MS);
    const late = await a.handed('b');
    must(await b.consume(late.handoff_id, { status: 'rejected' }));
    await clock.leap(9 * DAY_MS);
    expect((await b.handoff(early.handoff_id)).status).toBe(200);
    await clock.leap(2 * DAY_MS);
    await expect.poll(async () => (await b.handoff(early.handoff_id)).status).toBe(404);
    expect((await b.handoff(waits.handoff_id)).status).toBe(200);
    expect((await b.handoff(late.handoff_id)).status).toBe(200);
    expect(must(await b.handoffs('?recipient_peer=b')).total_matches).toBe(2);
    await clock.leap(20 * DAY_MS);
    await expect.poll(async () => (await b.handoff(late.handoff_id)).status).toBe(404);
    // Nothing of what it said is left.
    const { database } = server.context;
    const left = await database.read.all(sql`
      SELECT operation, document FROM continuity_revisions
      WHERE owner_id = ${owner.id} AND slug IN (${early.handoff_id}, ${late.handoff_id})`);
    expect(left).toEqual(
      [early, late].map(() => ({ operation: 'coordination.handoff_forget', document: null })),
    );
  });

  test('stay for ever where the operator wants that', async () => {
    const { a, b, clock } = await coordinationScene(start, { handoffsKeptDays: 0 });
    const handoff = await a.handed('b');
    must(await b.consume(handoff.handoff_id, { status: 'deferred' }));
    await clock.leap(4_000 * DAY_MS);
    expect((await a.handoff(handoff.handoff_id)).status).toBe(200);
  });
});
