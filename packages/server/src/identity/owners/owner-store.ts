import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export interface OwnerRow {
  readonly id: string;
  readonly slug: string;
  readonly slug_changed_at: number | null;
  readonly email: string | null;
  readonly plan: string;
  readonly alert_webhook_url: string | null;
  readonly webhook_secret: string | null;
  readonly alert_webhook_secret: string | null;
}

export interface NewOwner {
  readonly id: string;
  readonly slug: string;
  readonly email: string | null;
  readonly plan: string;
  readonly now: number;
}

/** Two spellings of one address are one address. */
const emailKey = (email: string | null): string | null => email?.toLowerCase() ?? null;

/** False when the slug or the email address is taken. */
export async function insertOwner(tx: Tx, owner: NewOwner): Promise<boolean> {
  const { id, slug, email, plan, now } = owner;
  const inserted = await tx.run(sql`
    INSERT INTO owners (id, slug, email, email_key, plan, created_at, updated_at)
    VALUES (${id}, ${slug}, ${email}, ${emailKey(email)}, ${plan}, ${now}, ${now}) ON CONFLICT DO NOTHING`);
  return inserted === 1;
}

export function readOwner(reader: Reader, ownerId: string): Promise<OwnerRow | undefined> {
  return reader.get<OwnerRow>(sql`
    SELECT id, slug, slug_changed_at, email, plan, alert_webhook_url, webhook_secret, alert_webhook_secret
    FROM owners WHERE id = ${ownerId}`);
}

export async function emailOwner(reader: Reader, email: string): Promise<string | undefined> {
  const row = await reader.get<{ id: string }>(
    sql`SELECT id FROM owners WHERE email_key = ${emailKey(email)}`,
  );
  return row?.id;
}

export async function slugOwner(reader: Reader, slug: string): Promise<string | undefined> {
  const row = await reader.get<{ id: string }>(sql`SELECT id FROM owners WHERE slug = ${slug}`);
  return row?.id;
}

export function oldestOwners(reader: Reader, limit: number): Promise<{ id: string; slug: string }[]> {
  return reader.all(sql`SELECT id, slug FROM owners ORDER BY created_at, id LIMIT ${limit}`);
}

/** Taken before the owner's row is changed by whoever looks at it first. */
export async function lockAccount(tx: Tx, ownerId: string): Promise<void> {
  await tx.lock(`identity.account:${ownerId}`);
}

export async function setEmail(tx: Tx, ownerId: string, email: string): Promise<void> {
  await tx.run(sql`UPDATE owners SET email = ${email}, email_key = ${emailKey(email)} WHERE id = ${ownerId}`);
}

export async function setSlug(tx: Tx, ownerId: string, slug: string, now: number): Promise<void> {
  await tx.run(sql`UPDATE owners SET slug = ${slug}, slug_changed_at = ${now} WHERE id = ${ownerId}`);
}

export async function setAlertUrl(tx: Tx, ownerId: string, url: string | null): Promise<void> {
  await tx.run(sql`UPDATE owners SET alert_webhook_url = ${url} WHERE id = ${ownerId}`);
}

export async function touchOwner(tx: Tx, ownerId: string, now: number): Promise<void> {
  await tx.run(sql`UPDATE owners SET updated_at = ${now} WHERE id = ${ownerId}`);
}

export async function ownerSlugs(
  reader: Reader,
  ownerIds: readonly string[],
): Promise<{ id: string; slug: string }[]> {
  if (ownerIds.length === 0) return [];
  return await reader
    .kysely<{ owners: { id: string; slug: string } }>()
    .selectFrom('owners')
    .select(['id', 'slug'])
    .where('id', 'in', ownerIds)
    .execute();
}
