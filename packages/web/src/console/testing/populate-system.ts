import { DeadJobError } from '../../../../server/src/platform/jobs/errors.ts';
import type { TestServer } from '../../../../server/src/testing/start-server.ts';
import { HOSTILE } from './populate.ts';

const MINUTE = 60_000;

/** An hour that was sampled, and work that gave up. */
export async function populateSystem({ context }: TestServer): Promise<void> {
  const { database, jobs, clock, console } = context;
  const now = clock.now();
  for (let ago = 59; ago > 0; ago -= 1) {
    const wave = Math.sin(ago / 6);
    console.system.history.samples.push({
      at: now - ago * MINUTE,
      rss: 180e6 + wave * 20e6,
      delayMs: ago === 20 ? 140 : 8 + Math.round(wave * 4),
      waiting: Math.max(0, Math.round(wave * 40)),
      disk: 83e9 - (60 - ago) * 5e6,
      database: 3e6 + (60 - ago) * 9e3,
    });
  }
  let died = 0;
  jobs.define('mail.send', {
    handler: async () => {
      died += 1;
      throw new DeadJobError(HOSTILE[died % 2] ?? 'gone');
    },
  });
  await database.write(async (tx) => {
    for (let n = 0; n < 3; n += 1) await jobs.enqueue(tx, 'mail.send', { n });
  });
}
