import { PHASES } from '@parley/protocol/continuity/vocabulary';
import { expect, test } from 'vitest';
import { migrate } from '../../platform/database/migrations.ts';
import { describeEachDatabase } from '../../testing/databases.ts';
import { unreadableFacts } from '../artifacts/artifact.ts';
import type { Ageing } from '../artifacts/artifact-table.ts';
import { activeKey, putArtifact } from '../artifacts/artifact-store.ts';
import { continuityMigrations } from '../migrations.ts';
import { AGE_LIMITS, phaseAt } from '../read/freshness.ts';
import { ageSecondsSql, phaseRankSql } from './list-store.ts';
import { UNKNOWN_AGE } from './salience.ts';

const NOW = Date.UTC(2026, 3, 1, 12);
const THRESHOLDS = [300, 301, 31_536_000];
/** At a bound, and on either side of it. */
const around = (at: number): number[] => [at - 1, at, at + 1];

interface Case extends Ageing {
  readonly updated_ms: number | null;
}

const CASES: readonly Case[] = [null, ...THRESHOLDS].flatMap((stale) => {
  const bounds = stale === null ? [NOW] : AGE_LIMITS.map(([, limit]) => NOW - stale * limit);
  return [null, 0, ...[NOW, ...bounds].flatMap(around)].flatMap((verified) =>
    [null, ...around(NOW)].map((expires, index) => ({
      verified_ms: verified,
      stale_seconds: stale,
      expires_ms: expires,
      updated_ms: [null, ...around(NOW - 1000), NOW + 1][index % 5] ?? null,
    })),
  );
});

const ageOf = ({ updated_ms: at }: Case): number =>
  at === null ? UNKNOWN_AGE : Math.max(0, Math.floor((NOW - at) / 1000));

const after = (ms: number) => phaseAt({ verified_ms: NOW - ms, stale_seconds: 300, expires_ms: null }, NOW);

describeEachDatabase('continuity › ageing', (open) => {
  test('the database and the code see every capsule in the same phase, at every bound', async () => {
    const db = await open();
    await migrate(db, [continuityMigrations], () => NOW);
    await db.write(async (tx) => {
      for (const [index, ageing] of CASES.entries()) {
        const facts = { ...unreadableFacts(String(index)), ...ageing };
        await putArtifact(tx, 'owner', activeKey({ kind: 'user', slug: String(index) }), facts, {});
      }
    });
    const rows = await db.read
      .kysely<{ continuity_artifacts: { slug: string } }>()
      .selectFrom('continuity_artifacts')
      .select(['slug', phaseRankSql(NOW).as('rank'), ageSecondsSql(NOW).as('age')])
      .execute();
    const told = new Map(rows.map(({ slug, rank, age }) => [Number(slug), [PHASES[rank], age]]));
    expect(CASES.map((_, index) => told.get(index))).toEqual(
      CASES.map((ageing) => [phaseAt(ageing, NOW), ageOf(ageing)]),
    );
    expect(new Set(CASES.map((ageing) => phaseAt(ageing, NOW)))).toEqual(new Set(PHASES));
  });

  test('a capsule is fresh up to its threshold, then stale, and over after twice as long', () => {
    expect([300_000, 300_001, 450_000, 450_001, 600_000, 600_001].map(after)).toEqual([
      'fresh',
      'stale_soft',
      'stale_soft',
      'stale_hard',
      'stale_hard',
      'expired_by_age',
    ]);
  });
});
