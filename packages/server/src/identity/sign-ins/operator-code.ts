import { CONSOLE_CODE_MS, CONSOLE_CODE_PREFIX } from '@parley/protocol/console/session-routes';
import { join, resolve } from 'node:path';
import { loadMasterKey } from '../../platform/auth/master-key.ts';
import { SecretBox, SecretBoxError } from '../../platform/auth/secret-box.ts';
import type { Clock } from '../../platform/clock.ts';
import { KEY_FILE } from '../../platform/database/data-directory.ts';
import { systemRandom } from '../../platform/ids.ts';
import type { Config } from '../../config/settings.ts';

const PURPOSE = 'console sign-in';

/**
 * Lets one person in as the operator. Whoever holds the key of the data folder can make one, with or without the server at
 * hand; that it is used once is the server's to see to.
 */
export const operatorCode = (secrets: SecretBox, now: number): string =>
  CONSOLE_CODE_PREFIX + secrets.seal(String(now + CONSOLE_CODE_MS), PURPOSE);

/** Until when it is good; undefined for what was not made with this key. */
export function codeExpiry(secrets: SecretBox, code: string): number | undefined {
  if (!code.startsWith(CONSOLE_CODE_PREFIX)) return undefined;
  try {
    return Number(secrets.open(code.slice(CONSOLE_CODE_PREFIX.length), PURPOSE));
  } catch (error) {
    if (error instanceof SecretBoxError) return undefined;
    throw error;
  }
}

/** For the command of an operator, who can read the key of the data folder. */
export async function makeOperatorCode(
  { dataDir, secretKey }: Pick<Config, 'dataDir' | 'secretKey'>,
  clock: Clock,
): Promise<string> {
  const masterKey = await loadMasterKey({
    configured: secretKey,
    file: join(resolve(dataDir), KEY_FILE),
    // A command makes no key: one that is missing is told.
    storeExists: true,
    random: systemRandom,
  });
  return operatorCode(new SecretBox(masterKey, systemRandom), clock.now());
}
