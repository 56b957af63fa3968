import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { People } from '../../identity/testing/people.ts';
import { sql } from '../../platform/database/sql.ts';
import { describeEachDialect, freshTables } from '../../testing/databases.ts';
import { startServer } from '../../testing/start-server.ts';
import { AgentClient } from '../testing/agent-client.ts';

describeEachDialect('agent › adoption', (dialect) => {
  test('agents that are older than delivery can be sent to from its first start on', async () => {
    const place = dialect === 'postgres' ? await freshTables() : undefined;
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-adoption-'));
    const options = { dataDir, ...(place && { databaseUrl: place.at.url }) };
    const first = await startServer(options);
    const before = await AgentClient.register(first, 'max@example.com');
    const agents = [await before.create({ slug: 'old' }), await before.create({ slug: 'older' })];
    // As a server left it that knew agents and nothing of delivery.
    await first.context.database.write((tx) => tx.run(sql`DELETE FROM agent_delivery`));
    await first.close();

    const second = await startServer(options);
    const after = new AgentClient(new People(second), before.owner);
    for (const { slug, id, created_at: createdAt } of agents) {
      expect((await after.read(slug)).body).toMatchObject({
        id,
        bg_task: `${slug}-bg`,
        status: 'online',
        delivery_capabilities: ['inbox'],
        created_at: createdAt,
      });
      const sent = await after.call('POST', '/v1/messages', { body: { to: slug, body: 'hello' } });
      expect(sent.status).toBe(201);
    }
    expect((await after.call<{ total: number }>('GET', '/v1/agents')).body.total).toBe(3);
    await second.close();
    await place?.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
