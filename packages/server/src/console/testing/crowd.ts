import { insertOwner } from '../../identity/owners/owner-store.ts';
import type { TestServer } from '../../testing/start-server.ts';

/** As many owners as that, who have nothing. */
export async function crowd(server: Pick<TestServer, 'context'>, count: number): Promise<void> {
  const { database, clock } = server.context;
  const now = clock.now();
  await database.write(async (tx) => {
    for (let at = 0; at < count; at += 1) {
      const name = `crowd-${String(at).padStart(4, '0')}`;
      await insertOwner(tx, {
        id: `usr_${name}`,
        slug: name,
        email: null,
        plan: 'free',
        now: now - count + at,
      });
    }
  });
}
