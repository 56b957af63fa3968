import type { Tx } from '../../platform/database/database.ts';
import { sql, word } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

type Status = 'pending' | 'email_sent' | 'approved' | 'claimed';
const PENDING = word('pending' satisfies Status);
const EMAIL_SENT = word('email_sent' satisfies Status);

/** Codes and tokens are hashes; the session, and the key once it is made, are sealed. */
const loginTable = table('device_logins', {
  code_hash: column<string>(),
  status: column<Status>(),
  email: column<string | null>(),
  link_hash: column<string | null>(),
  owner_id: column<string | null>(),
  existing: column<number>(),
  api_key: column<string | null>(),
  session_token: column<string | null>(),
  session_hash: column<string | null>(),
  session_expires_at: column<number | null>(),
  created_at: column<number>(),
  expires_at: column<number>(),
});

const asked = loginTable.pick('code_hash', 'status', 'existing', 'created_at', 'expires_at');

export type DeviceLoginRow = RowOf<typeof loginTable>;

/** False when the code is in use. */
export async function insertLogin(
  tx: Tx,
  codeHash: string,
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<boolean> {
  const login = { code_hash: codeHash, existing: 0, created_at: now, expires_at: expiresAt };
  return await tx.affects(asked.insertNew({ ...login, status: 'pending' }));
}

export const loginByCode = loginTable.finds('code_hash');
export const loginByLink = loginTable.finds('link_hash');
export const loginBySession = loginTable.finds('session_hash');

/** A later link takes the place of the one before. False when it is approved already. */
export async function setLink(
  tx: Tx,
  codeHash: string,
  link: { email: string; link_hash: string },
): Promise<boolean> {
  const set = loginTable.update({ status: 'email_sent', ...link });
  return await tx.affects(set`WHERE code_hash = ${codeHash} AND status IN (${PENDING}, ${EMAIL_SENT})`);
}

type Approval = Pick<
  DeviceLoginRow,
  'owner_id' | 'existing' | 'session_token' | 'session_hash' | 'session_expires_at'
>;

/** Once: false for whoever comes second with the same link. */
export async function approveLogin(tx: Tx, linkHash: string, approval: Approval): Promise<boolean> {
  const approve = loginTable.update({ status: 'approved', link_hash: null, ...approval });
  return await tx.affects(approve`WHERE link_hash = ${linkHash} AND status = ${EMAIL_SENT}`);
}

/** Whoever fetches a key and whoever claims it see each other, so that there is one. */
export async function lockLogin(tx: Tx, codeHash: string): Promise<void> {
  await tx.lock(`identity.device-login:${codeHash}`);
}

export async function keepKey(tx: Tx, codeHash: string, sealedKey: string): Promise<void> {
  await tx.run(sql`UPDATE device_logins SET api_key = ${sealedKey} WHERE code_hash = ${codeHash}`);
}

/** What was shown is not kept. */
export async function claimLogin(tx: Tx, codeHash: string): Promise<void> {
  const claim = loginTable.update({ status: 'claimed', api_key: null, session_token: null });
  await tx.run(claim`WHERE code_hash = ${codeHash}`);
}

export async function removeOldLogins(tx: Tx, before: number): Promise<void> {
  await tx.run(sql`DELETE FROM device_logins WHERE expires_at <= ${before}`);
}
