import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@parley/server/platform/database/database';
import { openDatabase, SQLITE_FILE } from '@parley/server/platform/database/open-database';
import { sql } from '@parley/server/platform/database/sql';
import { inBatches, openByHand } from '../load/fill/by-hand.ts';
import { atLeast, median, type ScenarioResult } from '../result.ts';

const CALLERS = 32;
const BATCH = 32;
const ROWS_PER_ROUND = 6_400;
const ROUNDS = 15;
const LEAST_RATIO = 0.5;
const BODY = 'x'.repeat(500);

/** Durable single-row writes through `db.write` against a hand-written batch loop on the same file. */
export async function storeScenario(): Promise<ScenarioResult> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const database = await openDatabase({ dataDir });
  try {
    await database.write(async (tx) => {
      await tx.run(sql`CREATE TABLE through_write (id integer PRIMARY KEY, body text NOT NULL)`);
      await tx.run(sql`CREATE TABLE by_hand (id integer PRIMARY KEY, body text NOT NULL)`);
    });
    return report(await interleave(database, join(dataDir, SQLITE_FILE)));
  } finally {
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

interface Round {
  readonly write: number;
  readonly hand: number;
}

/** Both sides take turns, in changing order, so that a busy moment of the machine does not favour one of them. */
async function interleave(database: Database, file: string): Promise<Round[]> {
  const byHand = handWrittenLoop(file);
  const rounds: Round[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const first = (round + 1) * ROWS_PER_ROUND;
    const handFirst = round % 2 === 0;
    const early = handFirst ? byHand.run(first) : 0;
    const write = await rowsPerSecond(() => throughWrite(database, first));
    const hand = handFirst ? early : byHand.run(first);
    // The first round only warms up.
    if (round >= 0) rounds.push({ write, hand });
  }
  byHand.close();
  return rounds;
}

async function throughWrite(database: Database, first: number): Promise<void> {
  let next = first;
  const end = first + ROWS_PER_ROUND;
  const caller = async (): Promise<void> => {
    while (next < end) {
      const id = next++;
      await database.write((tx) => tx.run(sql`INSERT INTO through_write (id, body) VALUES (${id}, ${BODY})`));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

function handWrittenLoop(file: string): { run: (first: number) => number; close: () => void } {
  const handle = openByHand(file);
  const insert = handle.prepare('INSERT INTO by_hand (id, body) VALUES (?, ?)');
  return {
    run: (first) => inBatches(handle, (at) => void insert.run(first + at, BODY))(ROWS_PER_ROUND, BATCH),
    close: () => handle.close(),
  };
}

async function rowsPerSecond(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return perSecond(start);
}

function perSecond(start: number): number {
  return (ROWS_PER_ROUND / (performance.now() - start)) * 1_000;
}

function report(rounds: readonly Round[]): ScenarioResult {
  const write = median(rounds.map((round) => round.write));
  const hand = median(rounds.map((round) => round.hand));
  const ratio = median(rounds.map((round) => round.write / round.hand));
  return {
    name: 'store: durable single-row writes (SQLite, WAL, synchronous=FULL, 512-byte rows)',
    rows: [
      { label: `db.write, ${CALLERS} concurrent callers, one row each`, value: `${rate(write)} rows/s` },
      { label: `hand-written loop, one transaction per ${BATCH} rows`, value: `${rate(hand)} rows/s` },
      { label: `rounds, interleaved, ${rate(ROWS_PER_ROUND)} rows each`, value: String(ROUNDS) },
    ],
    checks: [
      atLeast(
        `db.write (${CALLERS} callers) / hand-written loop (batches of ${BATCH}), median`,
        ratio,
        LEAST_RATIO,
      ),
    ],
  };
}

function rate(value: number): string {
  return Math.round(value).toLocaleString('en');
}
