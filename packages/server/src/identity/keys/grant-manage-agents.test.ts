import { AGENT_KEY_SCOPES, MANAGE_AGENTS_SCOPE } from '@parley/protocol/identity/scopes';
import { expect, test } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrations.ts';
import { sql } from '../../platform/database/sql.ts';
import { describeEachDatabase } from '../../testing/databases.ts';
import { identityMigrations } from '../migrations.ts';

interface OldKey {
  owner: string;
  agent: string | null;
  at: number;
  scopes?: readonly string[];
  rotatedAt?: number;
}

const before = { ...identityMigrations, migrations: identityMigrations.migrations.slice(0, 2) };
const now = () => 0;

async function insertKey(database: Database, id: string, key: OldKey): Promise<void> {
  const { owner, agent, at, scopes = AGENT_KEY_SCOPES, rotatedAt = null } = key;
  await database.write(async (tx) => {
    await tx.run(sql`INSERT INTO owners (id, slug, plan, created_at, updated_at)
      VALUES (${owner}, ${owner}, 'self_hosted', 1, 1) ON CONFLICT DO NOTHING`);
    if (agent !== null) {
      await tx.run(sql`INSERT INTO agents (suffix, owner_id, slug, display_name, created_at, updated_at)
        VALUES (${agent}, ${owner}, ${agent}, ${agent}, 1, 1) ON CONFLICT DO NOTHING`);
    }
    await tx.run(sql`
      INSERT INTO api_keys (id, owner_id, agent_suffix, hash, prefix, scopes, read_namespaces, write_namespaces,
        created_at, revoked_at, rotated)
      VALUES (${id}, ${owner}, ${agent}, ${id}, ${id}, ${JSON.stringify(scopes)}, '["*"]', '["*"]',
        ${at}, ${rotatedAt}, ${rotatedAt === null ? 0 : 1})`);
  });
}

describeEachDatabase('keys made before there was manage:agents', (open) => {
  test('owner-wide and founding keys may still manage, the others may not', async () => {
    const database = await open();
    await migrate(database, [before], now);
    const keys: Readonly<Record<string, OldKey>> = {
      'owner wide': { owner: 'max', agent: null, at: 1 },
      'owner wide, narrowed': { owner: 'max', agent: null, at: 2, scopes: ['search'] },
      'of an agent': { owner: 'max', agent: 'a', at: 3 },
      founding: { owner: 'solo', agent: 's', at: 1, rotatedAt: 50 },
      'founding, rotated': { owner: 'solo', agent: 's', at: 51, rotatedAt: 90 },
      'founding, rotated twice': { owner: 'solo', agent: 's', at: 90 },
      'made later for the same agent': { owner: 'solo', agent: 's', at: 200_000 },
    };
    for (const [id, key] of Object.entries(keys)) await insertKey(database, id, key);

    await migrate(database, [identityMigrations], now);
    const rows = await database.read.all<{ id: string; scopes: string }>(
      sql`SELECT id, scopes FROM api_keys`,
    );
    const scopes = new Map(rows.map((row) => [row.id, JSON.parse(row.scopes) as string[]]));
    const managing = Object.keys(keys).filter((id) => scopes.get(id)?.includes(MANAGE_AGENTS_SCOPE));
    expect(managing).toEqual([
      'owner wide',
      'owner wide, narrowed',
      'founding',
      'founding, rotated',
      'founding, rotated twice',
    ]);
    expect(scopes.get('owner wide, narrowed')).toEqual(['search', MANAGE_AGENTS_SCOPE]);
    expect(scopes.get('of an agent')).toEqual(AGENT_KEY_SCOPES);
  });
});
