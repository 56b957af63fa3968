import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/clock.ts';
import { insertAudit, type NewAudit } from './audit-store.ts';

const LONGEST_OBJECT = 300;

/** Written before the answer: what an owner can see must not depend on whether the server lived on. */
export async function noteAudit(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  line: Omit<NewAudit, 'at'>,
): Promise<void> {
  const object = line.object.slice(0, LONGEST_OBJECT);
  await database.write((tx) => insertAudit(tx, { ...line, object, at: clock.now() }));
}
