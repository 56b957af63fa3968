import { SESSION_BYTES, SESSION_LIFETIME_MS, SESSION_PREFIX } from '@parley/protocol/identity/credentials';
import { hashSecret } from '../../platform/auth/secrets.ts';
import { randomText, uuid } from '../../platform/ids.ts';
import type { AgentRef } from '../../wire/caller.ts';
import type { IdentityService } from '../service.ts';
import { announceRevoked } from './revocations.ts';
import { dropOver, insertSession, markAllEnded, markEnded } from './session-store.ts';

/** Undefined for anything but a valid API key. Earlier sessions go on; none outlives the key that opened it. */
export async function openSession(
  { database, clock, random, directory, credentials }: IdentityService,
  apiKey: string,
): Promise<{ token: string; agent: AgentRef; expiresAt: number } | undefined> {
  const identified = await credentials.identify(apiKey);
  if (identified.kind !== 'caller' || identified.caller.credential.kind !== 'api_key') return undefined;
  const { caller } = identified;
  const agent = await directory.acting(caller);
  const token = `${SESSION_PREFIX}${randomText(random, SESSION_BYTES)}`;
  const now = clock.now();
  const expiresAt = Math.min(
    now + SESSION_LIFETIME_MS,
    caller.credential.expiresAt ?? Number.POSITIVE_INFINITY,
  );
  const session = {
    id: uuid(random),
    owner_id: caller.ownerId,
    agent_suffix: agent.suffix,
    key_id: caller.keyId,
    hash: hashSecret(token),
    created_at: now,
    expires_at: expiresAt,
  };
  await database.write(async (tx) => {
    await dropOver(tx, agent.suffix, now);
    await insertSession(tx, session);
  });
  return { token, agent, expiresAt };
}

export function endSession(
  { database, clock, bus }: IdentityService,
  ownerId: string,
  sessionId: string,
): Promise<boolean> {
  return database.write(async (tx) => {
    const ended = await markEnded(tx, ownerId, sessionId, clock.now());
    if (ended) announceRevoked(bus, tx, [sessionId]);
    return ended;
  });
}

/** How many ended. */
export function endSessions({ database, clock, bus }: IdentityService, agent: AgentRef): Promise<number> {
  return database.write(async (tx) => {
    const ended = await markAllEnded(tx, agent.ownerId, agent.suffix, clock.now());
    announceRevoked(bus, tx, ended);
    return ended.length;
  });
}
