import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

const ownerTable = table('owners', {
  id: column<string>(),
  slug: column<string>(),
  slug_changed_at: column<number | null>(),
  email: column<string | null>(),
  plan: column<string>(),
  alert_webhook_url: column<string | null>(),
  webhook_secret: column<string | null>(),
  alert_webhook_secret: column<string | null>(),
});

const ownerNames = ownerTable.pick('id', 'slug');

export type OwnerRow = RowOf<typeof ownerTable>;
type OwnerName = RowOf<typeof ownerNames>;

const changedTable = ownerTable.with({ email_key: column<string | null>(), updated_at: column<number>() });
/** A new one has no secrets and no URL yet. */
const newOwnerTable = changedTable
  .pick('id', 'slug', 'email', 'email_key', 'plan', 'updated_at')
  .with({ created_at: column<number>() });

/** Two spellings of one address are one address. */
const emailKey = (email: string | null): string | null => email?.toLowerCase() ?? null;

/** False when the slug or the email address is taken. */
export async function insertOwner(
  tx: Tx,
  { now, ...owner }: Pick<OwnerRow, 'id' | 'slug' | 'email' | 'plan'> & { now: number },
): Promise<boolean> {
  const row = { ...owner, email_key: emailKey(owner.email), created_at: now, updated_at: now };
  return await tx.affects(newOwnerTable.insertNew(row));
}

export const readOwner = ownerTable.finds('id');

export async function emailOwner(reader: Reader, email: string): Promise<string | undefined> {
  return await reader.value<string>(sql`SELECT id FROM owners WHERE email_key = ${emailKey(email)}`);
}

export async function slugOwner(reader: Reader, slug: string): Promise<string | undefined> {
  return await reader.value<string>(sql`SELECT id FROM owners WHERE slug = ${slug}`);
}

export function oldestOwners(reader: Reader, limit: number): Promise<OwnerName[]> {
  return reader.all(ownerNames.select`ORDER BY created_at, id LIMIT ${limit}`);
}

/** By the beginning of their slug, in its order. */
export function ownersStartingWith(reader: Reader, text: string, limit: number): Promise<OwnerName[]> {
  return reader.all(ownerNames.select`
    WHERE slug >= ${text} AND slug < ${`${text}\u{10ffff}`} ORDER BY slug LIMIT ${limit}`);
}

/** Taken before the owner's row is changed by whoever looks at it first. */
export async function lockAccount(tx: Tx, ownerId: string): Promise<void> {
  await tx.lock(`identity.account:${ownerId}`);
}

export async function changeOwner(
  tx: Tx,
  ownerId: string,
  change: Partial<OwnerRow> & { updated_at: number },
): Promise<void> {
  const key = change.email === undefined ? {} : { email_key: emailKey(change.email) };
  await tx.run(changedTable.update({ ...change, ...key })`WHERE id = ${ownerId}`);
}

export async function ownerSlugs(reader: Reader, ownerIds: readonly string[]): Promise<OwnerName[]> {
  return await ownerNames.among(reader, 'id', ownerIds);
}
