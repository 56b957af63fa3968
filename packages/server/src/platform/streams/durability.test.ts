import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Child, startChild } from '../../testing/child-program.ts';
import { describeEachDatabase } from '../../testing/databases.ts';
import { SseReader } from '../../testing/sse-reader.ts';
import { migrate } from '../database/migrations.ts';
import { sql } from '../database/sql.ts';
import { streamMigrations } from './migrations.ts';

const ROUNDS = 4;
const WRITERS = 8;

/** A client that remembers what it saw, as an agent would, and comes back with the last id. */
class Follower {
  readonly #before: number[] = [];
  #reader: SseReader | undefined;

  get seen(): number[] {
    return [...this.#before, ...(this.#reader?.ids ?? [])];
  }

  async follow(child: Child): Promise<SseReader> {
    const port = Number((await child.until((line) => line.startsWith('port '))).slice(5));
    this.#before.push(...(this.#reader?.ids ?? []));
    const path = `/?after=${this.#before.at(-1) ?? 0}`;
    this.#reader = await SseReader.open({ url: `http://127.0.0.1:${port}` }, path);
    return this.#reader;
  }

  async reaches(seq: number): Promise<void> {
    await expect.poll(() => this.seen.at(-1)).toBeGreaterThanOrEqual(seq);
  }
}

const ackedOf = ({ lines }: Child): number[] =>
  lines.filter((line) => line.startsWith('acked ')).map((line) => Number(line.slice(6)));

describeEachDatabase('streams › kill -9', (open, { location }) => {
  test('a follower that resumes at its cursor sees every acknowledged event once, over several crashes', async () => {
    const at = await location();
    const setup = await open({ at });
    await migrate(setup, [streamMigrations], () => 0);
    await setup.close();

    const follower = new Follower();
    const acked: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const child = await startChild('serve-events', [JSON.stringify(at), String(WRITERS)]);
      const reader = await follower.follow(child);
      const before = follower.seen.length;
      await expect.poll(() => ackedOf(child).length >= 150 && follower.seen.length >= before + 50).toBe(true);
      // A different moment of the commit each time.
      await sleep(round * 3);
      await child.kill();
      await reader.ended();
      acked.push(...ackedOf(child));
    }

    const db = await open({ at });
    const rows = await db.read.all<{ seq: number }>(sql`SELECT seq FROM stream_events ORDER BY seq`);
    await db.close();
    const stored = rows.map(({ seq }) => seq);
    const last = await startChild('serve-events', [JSON.stringify(at), '0']);
    const reader = await follower.follow(last);
    await follower.reaches(stored.at(-1) ?? 0);
    await last.kill();
    await reader.ended();

    expect(follower.seen).toEqual(stored);
    expect(new Set(acked).size).toBe(acked.length);
    expect(acked.filter((seq) => !stored.includes(seq))).toEqual([]);
    // What is stored beyond the acknowledged can only be what was being acknowledged at a kill.
    expect(stored.length - acked.length).toBeLessThanOrEqual(ROUNDS * WRITERS);
    expect(acked.length).toBeGreaterThan(ROUNDS * 150 - 1);
  }, 120_000);
});
