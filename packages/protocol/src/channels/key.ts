import { base64ToBytes, bytesToBase64, bytesToHex, hexToBytes } from './bytes.ts';
import { KEY_BYTES } from './limits.ts';

/** Whatever this platform calls WebCrypto. */
export type CryptoSource = typeof globalThis.crypto;

export class KeyFormatError extends Error {
  override readonly name = 'KeyFormatError';

  constructor() {
    super('the key must be 43 base64url or 64 hex characters (the part of the join URL after "#k=")');
  }
}

/** A key in any accepted spelling → 64 lowercase hex digits. What stands behind the first `&` is not the key. */
export function parseKey(text: string): string {
  const key = text.split('&', 1)[0] ?? '';
  if (/^[0-9a-f]{64}$/i.test(key)) return key.toLowerCase();
  // 43 hex digits are a hex key that was cut short, not a base64url key.
  if (!/^[\w-]{43}=?$/.test(key) || /^[0-9a-f]{43}$/i.test(key)) throw new KeyFormatError();
  const base64 = key.slice(0, 43).replaceAll('-', '+').replaceAll('_', '/');
  // The filler takes up the spare bits of the last character, which say nothing about the key.
  const bytes = base64ToBytes(`${base64}A`);
  if (!bytes) throw new KeyFormatError();
  return bytesToHex(bytes.subarray(0, KEY_BYTES));
}

/** 64 hex digits → the 43 base64url characters that stand in a URL fragment. */
export function keyToFragment(keyHex: string): string {
  return bytesToBase64(hexToBytes(keyHex)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export function newKey(crypto: CryptoSource = globalThis.crypto): string {
  return randomHex(KEY_BYTES, crypto);
}

export function randomHex(bytes: number, crypto: CryptoSource = globalThis.crypto): string {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Taken over the hex text, not over the raw bytes, so that every spelling of a key has the same fingerprint. */
export async function keyFingerprint(
  keyHex: string,
  crypto: CryptoSource = globalThis.crypto,
): Promise<string> {
  return (await sha256Hex(keyHex.toLowerCase(), crypto)).slice(0, 16);
}

export async function sha256Hex(text: string, crypto: CryptoSource = globalThis.crypto): Promise<string> {
  return bytesToHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}
