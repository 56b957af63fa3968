import { WEBHOOK_SECRET_BYTES, WEBHOOK_SECRET_PREFIX } from '@parley/protocol/identity/credentials';
import type { SecretBox } from '../../platform/auth/secret-box.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Reader, Tx } from '../../platform/database/database.ts';
import type { Random } from '../../platform/ids.ts';
import type { SigningSecrets } from '../../platform/outbound/webhook-signer.ts';
import { clearSecrets, secretRow, writeSecrets } from './webhook-secret-store.ts';

export interface WebhookSecretsOptions {
  clock: Clock;
  random: Random;
  secrets: SecretBox;
}

/** The secrets that sign what is posted to agents. They rest sealed, each bound to its agent. */
export class WebhookSecrets {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #secrets: SecretBox;

  constructor({ clock, random, secrets }: WebhookSecretsOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#secrets = secrets;
  }

  /** The secret in use, and the one before while it is still good. Read when signing, never stored with a delivery. */
  async read(reader: Reader, suffix: string): Promise<SigningSecrets | undefined> {
    const row = await secretRow(reader, suffix);
    if (!row?.webhook_secret) return undefined;
    const { previous_webhook_secret: previous, previous_webhook_secret_until: until } = row;
    const stillGood = previous !== null && until !== null && this.#clock.now() < until;
    return {
      current: this.#open(row.webhook_secret, suffix),
      previous: stillGood ? this.#open(previous, suffix) : undefined,
    };
  }

  /** Made with the first URL and kept over further ones. Returns it when it is new. */
  async ensure(tx: Tx, suffix: string): Promise<string | null> {
    const row = await secretRow(tx, suffix);
    if (row?.webhook_secret) return null;
    return await this.#replace(tx, suffix, null, null);
  }

  async clear(tx: Tx, suffix: string): Promise<void> {
    await clearSecrets(tx, suffix);
  }

  async rotate(
    tx: Tx,
    suffix: string,
    overlapSeconds: number,
  ): Promise<{ secret: string; previousUntil: number | null }> {
    const old = (await secretRow(tx, suffix))?.webhook_secret ?? null;
    const kept = old !== null && overlapSeconds > 0;
    const previousUntil = kept ? this.#clock.now() + overlapSeconds * 1000 : null;
    const secret = await this.#replace(tx, suffix, kept ? old : null, previousUntil);
    return { secret, previousUntil };
  }

  async #replace(tx: Tx, suffix: string, previous: string | null, until: number | null): Promise<string> {
    const secret = `${WEBHOOK_SECRET_PREFIX}${this.#random.hex(WEBHOOK_SECRET_BYTES)}`;
    const sealed = this.#secrets.seal(secret, purpose(suffix));
    await writeSecrets(tx, suffix, { sealed, previous, until });
    return secret;
  }

  #open(sealed: string, suffix: string): string {
    return this.#secrets.open(sealed, purpose(suffix));
  }
}

const purpose = (suffix: string): string => `agent-webhook-secret:${suffix}`;
