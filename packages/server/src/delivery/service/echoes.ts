import { ECHO_LIFE, MAX_ECHO_TOKEN, MIN_ECHO_TOKEN, MOST_ECHOES } from '@parley/protocol/delivery/limits';
import type { IncomingHttpHeaders } from 'node:http';
import { parsedJson } from '@parley/protocol/json';
import { hashSecret } from '../../platform/auth/secrets.ts';
import { rateLimitExceeded, validationError } from '../../wire/delivery/errors.ts';
import { iso } from '../../wire/delivery/times.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { countEchoes, echoOf, forgetEchoes, putEcho } from './echo-store.ts';

type EchoParts = Pick<MessagingContext, 'database' | 'clock' | 'sweeps'>;

/** What must not be read back by whoever knows the token. */
const HIDDEN = new Set(['authorization', 'cookie', 'proxy-authorization']);
const TOKEN = new RegExp(`^[A-Za-z0-9._~-]{${MIN_ECHO_TOKEN},${MAX_ECHO_TOKEN}}$`);

/** Keeps what somebody posts without a key, for a while and not too much of it. */
export async function storeEcho(
  { database, clock, sweeps }: EchoParts,
  token: string,
  { body, headers }: { body: string; headers: IncomingHttpHeaders },
): Promise<void> {
  const tokenHash = hashed(token);
  const shown = Object.fromEntries(Object.entries(headers).filter(([name]) => !HIDDEN.has(name)));
  await database.write(async (tx) => {
    const now = clock.now();
    await tx.lock('delivery.echoes');
    await forgetEchoes(tx, now - ECHO_LIFE);
    if ((await countEchoes(tx)) >= MOST_ECHOES) throw rateLimitExceeded({ retryAfterSec: 60 });
    const row = { token_hash: tokenHash, payload: body, headers: JSON.stringify(shown), received_at: now };
    await tx.run(putEcho(row));
    await sweeps.ensure(tx, now + ECHO_LIFE);
  });
}

export async function readEcho({ database, clock }: EchoParts, token: string): Promise<object> {
  const echo = await echoOf(database.read, hashed(token), clock.now() - ECHO_LIFE);
  if (!echo) return { status: 'waiting' };
  const payload = parsedJson(echo.payload);
  return {
    status: 'delivered',
    payload: payload === undefined ? echo.payload : payload,
    headers: JSON.parse(echo.headers) as object,
    received_at: iso(echo.received_at),
  };
}

/** Whoever knows the token may read: it is kept as a key is. */
function hashed(token: string): string {
  if (TOKEN.test(token)) return hashSecret(token);
  throw validationError([
    {
      field: 'path.token',
      message: `must be ${MIN_ECHO_TOKEN} to ${MAX_ECHO_TOKEN} letters, digits and any of . _ ~ -`,
    },
  ]);
}
