import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';
import { idList } from '../keys/credential-store.ts';

const signInTable = table('sign_ins', {
  id: column<string>(),
  /** Null for an operator. */
  ownerId: column<string | null>(),
  keyId: column<string | null>(),
  agent: column<string>(),
  createdAt: column<number>(),
  seenAt: column<number>(),
  expiresAt: column<number>(),
});
/** The hash is written and looked for, never read. */
const newSignInTable = signInTable.with({ hash: column<string>() });

/** A person at the console. */
export type SignIn = RowOf<typeof signInTable>;

export async function insertSignIn(tx: Tx, signIn: SignIn, hash: string): Promise<void> {
  await tx.run(newSignInTable.insert({ ...signIn, hash }));
}

export function signInByHash(reader: Reader, hash: string, now: number): Promise<SignIn | undefined> {
  return reader.get<SignIn>(signInTable.select`WHERE hash = ${hash} AND expires_at > ${now}`);
}

export function standingSignIns(reader: Reader, ids: readonly string[], now: number): Promise<string[]> {
  return reader.values<string>(sql`
    SELECT s.id FROM sign_ins s LEFT JOIN api_keys k ON k.id = s.key_id
    WHERE s.id IN (SELECT key FROM json_each(${idList(ids)})) AND s.expires_at > ${now}
      AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${now})`);
}

export async function slide(tx: Tx, id: string, seenAt: number, expiresAt: number): Promise<void> {
  await tx.run(signInTable.update({ seenAt, expiresAt })`WHERE id = ${id}`);
}

/** Those of one owner, or of operators; newest first. */
export function signInsOf(reader: Reader, ownerId: string | null, now: number): Promise<SignIn[]> {
  return ownerId === null
    ? reader.all<SignIn>(
        signInTable.select`WHERE owner_id IS NULL AND expires_at > ${now} ORDER BY created_at DESC LIMIT 100`,
      )
    : reader.all<SignIn>(
        signInTable.select`WHERE owner_id = ${ownerId} AND expires_at > ${now} ORDER BY created_at DESC LIMIT 100`,
      );
}

/** False when there was none, or it is another's. */
export async function removeSignIn(tx: Tx, id: string, ownerId: string | null): Promise<boolean> {
  const removed =
    ownerId === null
      ? await tx.run(sql`DELETE FROM sign_ins WHERE id = ${id} AND owner_id IS NULL`)
      : await tx.run(sql`DELETE FROM sign_ins WHERE id = ${id} AND owner_id = ${ownerId}`);
  return removed === 1;
}

export async function removeLapsed(tx: Tx, now: number): Promise<void> {
  await tx.run(sql`DELETE FROM sign_ins WHERE expires_at <= ${now}`);
  await tx.run(sql`DELETE FROM spent_sign_in_codes WHERE expires_at <= ${now}`);
}

/** False for whoever comes second. */
export async function spendCode(tx: Tx, hash: string, expiresAt: number): Promise<boolean> {
  return await tx.affects(sql`
    INSERT INTO spent_sign_in_codes (hash, expires_at) VALUES (${hash}, ${expiresAt}) ON CONFLICT DO NOTHING`);
}
