import { type JsonObject, parsedObject } from '../json.ts';
import { base64ToBytes, bytesToBase64, hexToBytes } from './bytes.ts';
import type { CryptoSource } from './key.ts';
import { MAX_ENVELOPE_BYTES, MAX_TEXT_UNITS, MIN_RAW_BYTES, NONCE_BYTES, TAG_BYTES } from './limits.ts';

type AesKey = Parameters<CryptoSource['subtle']['encrypt']>[1];

export interface Opened {
  /** The exact plaintext. */
  plain: string;
  envelope: JsonObject;
}

export class EnvelopeTooLargeError extends Error {
  override readonly name = 'EnvelopeTooLargeError';
  readonly bytes: number;

  constructor(bytes: number) {
    super(`the message is too large: ${bytes} bytes sealed together, the limit is ${MAX_ENVELOPE_BYTES}`);
    this.bytes = bytes;
  }
}

const encoder = new TextEncoder();
// The BOM is kept so that `plain` is what was sealed; JSON does not allow one.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Seals and opens the messages of one channel: `base64(nonce[12] || ciphertext || tag[16])`, AES-256-GCM. */
export class ChannelCipher {
  readonly #channelId: string;
  readonly #key: AesKey;
  readonly #crypto: CryptoSource;

  private constructor(channelId: string, key: AesKey, crypto: CryptoSource) {
    this.#channelId = channelId;
    this.#key = key;
    this.#crypto = crypto;
  }

  /** `crypto` is for platforms without a global one. */
  static async create(
    channelId: string,
    keyHex: string,
    crypto: CryptoSource = globalThis.crypto,
  ): Promise<ChannelCipher> {
    const raw = hexToBytes(keyHex);
    const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']);
    return new ChannelCipher(channelId, key, crypto);
  }

  /** `nonce` is only for test vectors: using one twice gives the key away. */
  async seal(sender: string, plain: string, nonce = this.#freshNonce()): Promise<string> {
    const bytes = encoder.encode(plain);
    if (bytes.length > MAX_ENVELOPE_BYTES) throw new EnvelopeTooLargeError(bytes.length);
    const sealed = await this.#crypto.subtle.encrypt(this.#parameters(sender, nonce), this.#key, bytes);
    const raw = new Uint8Array(NONCE_BYTES + sealed.byteLength);
    raw.set(nonce);
    raw.set(new Uint8Array(sealed), NONCE_BYTES);
    return bytesToBase64(raw);
  }

  /** `sender` is `from` of the event. `undefined` when the text is not a JSON object sealed by them for this channel. */
  async open(sender: string, text: string): Promise<Opened | undefined> {
    const raw = text.length <= MAX_TEXT_UNITS ? base64ToBytes(text) : undefined;
    if (!raw || raw.length < MIN_RAW_BYTES) return undefined;
    try {
      const parameters = this.#parameters(sender, raw.subarray(0, NONCE_BYTES));
      const sealed = raw.subarray(NONCE_BYTES);
      const plain = decoder.decode(await this.#crypto.subtle.decrypt(parameters, this.#key, sealed));
      const envelope = parsedObject(plain);
      return envelope && { plain, envelope };
    } catch {
      // Tag mismatch, bad UTF-8 and bad JSON are one and the same to the receiver.
      return undefined;
    }
  }

  #parameters(sender: string, nonce: Uint8Array<ArrayBuffer>) {
    return {
      name: 'AES-GCM',
      iv: nonce,
      additionalData: encoder.encode(`${this.#channelId}:${sender}`),
      tagLength: TAG_BYTES * 8,
    };
  }

  #freshNonce(): Uint8Array<ArrayBuffer> {
    return this.#crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  }
}
