import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql, word } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

type Status = 'pending' | 'email_sent' | 'approved' | 'claimed';
const PENDING = word('pending' satisfies Status);
const EMAIL_SENT = word('email_sent' satisfies Status);
const APPROVED = word('approved' satisfies Status);
const CLAIMED = word('claimed' satisfies Status);

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

export type DeviceLoginRow = RowOf<typeof loginTable>;

/** False when the code is in use. */
export async function insertLogin(
  tx: Tx,
  codeHash: string,
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<boolean> {
  const inserted = await tx.run(sql`
    INSERT INTO device_logins (code_hash, status, existing, created_at, expires_at)
    VALUES (${codeHash}, ${PENDING}, 0, ${now}, ${expiresAt}) ON CONFLICT (code_hash) DO NOTHING`);
  return inserted === 1;
}

export function loginByCode(reader: Reader, codeHash: string): Promise<DeviceLoginRow | undefined> {
  return reader.get<DeviceLoginRow>(loginTable.select`WHERE code_hash = ${codeHash}`);
}

export function loginByLink(reader: Reader, linkHash: string): Promise<DeviceLoginRow | undefined> {
  return reader.get<DeviceLoginRow>(loginTable.select`WHERE link_hash = ${linkHash}`);
}

export function loginBySession(reader: Reader, sessionHash: string): Promise<DeviceLoginRow | undefined> {
  return reader.get<DeviceLoginRow>(loginTable.select`WHERE session_hash = ${sessionHash}`);
}

/** A later link takes the place of the one before. False when it is approved already. */
export async function setLink(
  tx: Tx,
  codeHash: string,
  { email, linkHash }: { email: string; linkHash: string },
): Promise<boolean> {
  const set = await tx.run(sql`
    UPDATE device_logins SET status = ${EMAIL_SENT}, email = ${email}, link_hash = ${linkHash}
    WHERE code_hash = ${codeHash} AND status IN (${PENDING}, ${EMAIL_SENT})`);
  return set === 1;
}

export interface ApprovedLogin {
  readonly ownerId: string;
  readonly existing: boolean;
  readonly sealedSession: string;
  readonly sessionHash: string;
  readonly sessionExpiresAt: number;
}

/** Once: false for whoever comes second with the same link. */
export async function approveLogin(tx: Tx, linkHash: string, login: ApprovedLogin): Promise<boolean> {
  const approved = await tx.run(sql`
    UPDATE device_logins SET status = ${APPROVED}, link_hash = NULL, owner_id = ${login.ownerId},
      existing = ${login.existing ? 1 : 0}, session_token = ${login.sealedSession}, session_hash = ${login.sessionHash},
      session_expires_at = ${login.sessionExpiresAt}
    WHERE link_hash = ${linkHash} AND status = ${EMAIL_SENT}`);
  return approved === 1;
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
  await tx.run(sql`
    UPDATE device_logins SET status = ${CLAIMED}, api_key = NULL, session_token = NULL
    WHERE code_hash = ${codeHash}`);
}

export async function removeOldLogins(tx: Tx, before: number): Promise<void> {
  await tx.run(sql`DELETE FROM device_logins WHERE expires_at <= ${before}`);
}
