import { importSources } from './import-sources.ts';
import { bearerToken } from '../platform/auth/bearer.ts';
import { parseMasterKey } from '../platform/auth/master-key.ts';
import { TrustedProxies } from '../platform/http/client-address.ts';
import { checkPublicUrl } from '../platform/http/public-base.ts';
import { CallbackAllow } from '../platform/outbound/callback-allow.ts';
import type { Config } from './settings.ts';

const LEAST_TOKEN_LENGTH = 24;

/** Asks those who will use a value whether they can, so that a wrong one is told before anything is opened. */
export function checkValues(config: Config): void {
  checkPublicUrl(config.publicUrl);
  void new TrustedProxies(config.trustedProxies);
  void new CallbackAllow(config.callbackAllow);
  if (config.secretKey !== undefined) parseMasterKey(config.secretKey);
  checkInternalToken(config.internalToken);
  checkDatabaseUrl(config.databaseUrl);
  importSources(config.memoryImport);
}

function checkDatabaseUrl(url: string | undefined): void {
  if (url === undefined || (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url))) return;
  throw new Error('database_url: expected postgres://…, the URL of a PostgreSQL database');
}

/** Refuses a token that could be guessed. */
function checkInternalToken(token: string | undefined): void {
  if (token === undefined || (token.length >= LEAST_TOKEN_LENGTH && bearerToken(`Bearer ${token}`) === token))
    return;
  throw new Error(
    `internal_token: expected at least ${LEAST_TOKEN_LENGTH} characters of A-Z, a-z, 0-9, -, ., _, ~, + and /`,
  );
}
