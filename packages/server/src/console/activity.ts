import type { ActivityAnswer } from '@parley/protocol/console/view-routes';
import { iso } from '../wire/delivery/times.ts';
import type { Person } from '../wire/person.ts';
import { auditBefore } from './audit-store.ts';
import type { ConsoleContext } from './create-module.ts';
import { placeOf } from './scope.ts';

interface Ask {
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly actor?: 'operator' | 'owner' | undefined;
}

/** Of an owner: what concerns it, looks of operators included. Of an operator: everything. */
export async function activityOf(
  { database, identity }: ConsoleContext,
  { ownerId }: Person,
  { cursor, limit, actor }: Ask,
): Promise<ActivityAnswer> {
  const before = placeOf(cursor)?.at ?? Number.MAX_SAFE_INTEGER;
  const rows = await auditBefore(database.read, ownerId, before, limit + 1);
  const page = rows.slice(0, limit);
  const owners = page.flatMap((row) => (row.owner_id === null ? [] : [row.owner_id]));
  const slugs = await identity.ownerSlugs(owners);
  const last = page.at(-1);
  return {
    lines: page
      .filter((row) => actor === undefined || row.actor === actor)
      .map((row) => ({
        id: String(row.id),
        at: iso(row.at),
        actor: row.actor,
        owner: row.owner_id === null ? null : (slugs.get(row.owner_id) ?? null),
        action: row.action,
        object: row.object,
      })),
    next: rows.length > limit && last ? `${last.id}.audit` : null,
  };
}
