import { expect, test } from 'vitest';
import { LockTimeoutError } from '../platform/database/errors.ts';
import { sql } from '../platform/database/sql.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { writeOne } from './coordination-context.ts';
import { coordinationScene } from './testing/coordination-scene.ts';

const held = () => Promise.reject(new LockTimeoutError(new Error('held')));

describeEachServer('coordination › trouble with the store', (start) => {
  test('an artifact that others hold for too long is a 409 that names the operation', async () => {
    const { server } = await coordinationScene(start);
    const { database } = server.context;
    const errors: unknown[] = [];
    const context = { database, onError: (error: unknown) => void errors.push(error) };
    await expect(writeOne(context, 'shared_update', 'x', held)).rejects.toMatchObject({
      status: 409,
      detail: {
        ok: false,
        operation: 'shared_update',
        error: { code: 'shared_update_source_lock_timeout', detail: expect.any(String) },
      },
    });
    expect(errors).toEqual([]);
  });

  test('a store that is out of order is a 503 that says nothing of it, and nothing was done', async () => {
    const { a, server } = await coordinationScene(start);
    const shared = await a.shared();
    const { database } = server.context;
    await database.write((tx) => tx.run(sql`ALTER TABLE coordination_parties RENAME TO coordination_away`));
    const refused = await a.share();
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    expect(refused.body.detail).toEqual({
      ok: false,
      operation: 'shared_create',
      error: {
        code: 'shared_create_lock_infrastructure_unavailable',
        detail: 'The store did not accept the write; nothing was changed',
      },
    });
    await database.write((tx) => tx.run(sql`ALTER TABLE coordination_away RENAME TO coordination_parties`));
    const { body } = await a.queryShared('?owner_peer=a');
    expect(body.shared_artifacts).toEqual([shared]);
  });
});
