import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../ids.ts';

/**
 * Small secrets at rest: AES-256-GCM under the master key. The purpose a secret was sealed for (say
 * `webhook-secret:agent_x`) is bound to it, so that a sealed value copied to another row does not open there.
 * Form: `v1.` + base64url(nonce 12 ‖ ciphertext ‖ tag 16).
 */
export class SecretBox {
  readonly #key: Uint8Array;
  readonly #random: Random;

  constructor(masterKey: Uint8Array, random: Random) {
    if (masterKey.length !== KEY_BYTES)
      throw new SecretBoxError('bad_key', `the key must be ${KEY_BYTES} bytes`);
    this.#key = masterKey;
    this.#random = random;
  }

  seal(secret: string, purpose: string): string {
    const nonce = this.#random.bytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    cipher.setAAD(associatedData(purpose));
    const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${VERSION}.${sealed.toString('base64url')}`;
  }

  open(sealed: string, purpose: string): string {
    const [version, body] = sealed.split('.', 2);
    if (version !== VERSION || body === undefined) {
      throw new SecretBoxError('bad_format', 'not a sealed secret of a known version');
    }
    const bytes = Buffer.from(body, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES)
      throw new SecretBoxError('bad_format', 'sealed secret is cut short');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(associatedData(purpose));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const head = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([head, decipher.final()]).toString('utf8');
    } catch {
      throw new SecretBoxError(
        'cannot_open',
        'sealed with another key or for another purpose, or changed since',
      );
    }
  }
}

export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError';
  readonly code:
    | 'bad_key'
    | 'bad_format'
    | 'cannot_open'
    | 'unsafe_key_file'
    | 'missing_key_file'
    | 'wrong_key';

  constructor(code: SecretBoxError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

function associatedData(purpose: string): Buffer {
  return Buffer.from(`parley-secret-box ${VERSION} ${purpose}`);
}

export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';
