import { webcrypto } from 'node:crypto';
import { assert, asyncProperty, property, string, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { base64ToBytes, bytesToBase64, bytesToHex, hexToBytes } from './bytes.ts';
import { ChannelCipher, EnvelopeTooLargeError } from './envelope.ts';
import { keyFingerprint, keyToFragment, parseKey } from './key.ts';
import { MAX_ENVELOPE_BYTES, MAX_TEXT_UNITS } from './limits.ts';
import { vectors } from './testing/vectors.ts';

const cipherOf = (vector: { channelId: string; key: string }) =>
  ChannelCipher.create(vector.channelId, vector.key);

describe.each(vectors)('channel envelope › vector $number', (vector) => {
  test('seals to the exact text', async () => {
    const cipher = await cipherOf(vector);
    expect(await cipher.seal(vector.sender, vector.plain, hexToBytes(vector.nonce))).toBe(vector.text);
  });

  test('has nonce, ciphertext and tag at their places', () => {
    const raw = base64ToBytes(vector.text);
    expect(raw && bytesToHex(raw)).toBe(vector.nonce + vector.ciphertext + vector.tag);
  });

  test('opens to the exact plaintext', async () => {
    const opened = await (await cipherOf(vector)).open(vector.sender, vector.text);
    expect(opened).toEqual({ plain: vector.plain, envelope: JSON.parse(vector.plain) });
  });

  test('has this fragment and fingerprint', async () => {
    expect(keyToFragment(vector.key)).toBe(vector.fragment);
    expect(parseKey(vector.fragment)).toBe(vector.key);
    expect(await keyFingerprint(vector.key)).toBe(vector.fingerprint);
  });

  test('fails with any one character of the text changed', async () => {
    const cipher = await cipherOf(vector);
    for (let at = 0; at < vector.text.length; at++) {
      const old = vector.text.charAt(at);
      for (const other of ['A', 'B', '/', '=', '-', ' ', '\n', String.fromCharCode(old.charCodeAt(0) ^ 1)]) {
        if (other === old) continue;
        const changed = vector.text.slice(0, at) + other + vector.text.slice(at + 1);
        expect(await cipher.open(vector.sender, changed), `${at}: ${changed}`).toBeUndefined();
      }
    }
  });

  test('fails with any one bit of the raw bytes changed', async () => {
    const cipher = await cipherOf(vector);
    const raw = hexToBytes(vector.nonce + vector.ciphertext + vector.tag);
    for (let bit = 0; bit < raw.length * 8; bit++) {
      const changed = raw.slice();
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await cipher.open(vector.sender, bytesToBase64(changed))).toBeUndefined();
    }
  });

  test('fails under another name, another channel, or the channel id in upper case', async () => {
    const cipher = await cipherOf(vector);
    for (const name of [`${vector.sender}x`, vector.sender.slice(1), vector.sender.toUpperCase(), '']) {
      expect(await cipher.open(name, vector.text)).toBeUndefined();
    }
    const shouted = vector.channelId.toUpperCase();
    if (shouted !== vector.channelId) {
      expect(
        await (await ChannelCipher.create(shouted, vector.key)).open(vector.sender, vector.text),
      ).toBeUndefined();
    }
    const elsewhere = await ChannelCipher.create(`${vector.channelId}0`, vector.key);
    expect(await elsewhere.open(vector.sender, vector.text)).toBeUndefined();
  });

  test('fails cut short or with something behind it', async () => {
    const cipher = await cipherOf(vector);
    for (const text of [
      '',
      vector.text.slice(0, -4),
      `${vector.text}AAAA`,
      `${vector.text} `,
      vector.text.slice(0, 36),
    ]) {
      expect(await cipher.open(vector.sender, text)).toBeUndefined();
    }
  });
});

describe('channel envelope › what is not an envelope', () => {
  const key = 'ab'.repeat(32);

  async function sealBytes(bytes: Uint8Array): Promise<string> {
    const aes = await webcrypto.subtle.importKey('raw', hexToBytes(key), 'AES-GCM', false, ['encrypt']);
    const iv = webcrypto.getRandomValues(new Uint8Array(12));
    const additionalData = new TextEncoder().encode('c1:bob');
    const sealed = await webcrypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, aes, bytes);
    return Buffer.concat([iv, new Uint8Array(sealed)]).toString('base64');
  }

  test.each([
    ['bytes that are not UTF-8', Buffer.from('7b2274657874223a22ff227d', 'hex')],
    ['a byte order mark before the object', Buffer.from('\ufeff{"text":"x"}')],
    ['text that is not JSON', Buffer.from('hello')],
    ['a JSON array', Buffer.from('[1]')],
    ['a JSON string', Buffer.from('"text"')],
    ['null', Buffer.from('null')],
    ['nothing at all', Buffer.alloc(0)],
  ])('refuses %s, though rightly sealed', async (_what, plain) => {
    expect(await (await ChannelCipher.create('c1', key)).open('bob', await sealBytes(plain))).toBeUndefined();
  });

  test('accepts any JSON spelling of an object', async () => {
    const opened = await (await ChannelCipher.create('c1', key)).open(
      'bob',
      await sealBytes(Buffer.from(' { "text" : "\\u0078", "unknown": [1] } ')),
    );
    expect(opened?.envelope).toEqual({ text: 'x', unknown: [1] });
  });
});

describe('channel envelope › size', () => {
  test('the largest envelope fills the text exactly, one byte more is refused', async () => {
    const cipher = await ChannelCipher.create('c1', '00'.repeat(32));
    const plain = JSON.stringify({ text: 'x'.repeat(MAX_ENVELOPE_BYTES - 11) });
    expect(plain).toHaveLength(49_124);
    const text = await cipher.seal('a', plain);
    expect(text).toHaveLength(MAX_TEXT_UNITS);
    expect((await cipher.open('a', text))?.plain).toBe(plain);
    await expect(cipher.seal('a', `${plain} `)).rejects.toThrow(EnvelopeTooLargeError);
  });

  test('counts UTF-8 bytes, not characters', async () => {
    const cipher = await ChannelCipher.create('c1', '00'.repeat(32));
    await expect(cipher.seal('a', '€'.repeat(20_000))).rejects.toThrow('60000 bytes');
  });

  test('never uses a nonce twice', async () => {
    const cipher = await ChannelCipher.create('c1', '00'.repeat(32));
    const nonces = new Set<string>();
    for (let n = 0; n < 200; n++) nonces.add((await cipher.seal('a', '{}')).slice(0, 16));
    expect(nonces.size).toBe(200);
  });
});

describe('channel envelope › any text under any name', () => {
  test('comes back unchanged', async () => {
    const cipher = await ChannelCipher.create('c1', 'cd'.repeat(32));
    await assert(
      asyncProperty(
        string({ unit: 'binary' }),
        string({ unit: 'grapheme', minLength: 1 }),
        async (text, name) => {
          const sealed = await cipher.seal(name, JSON.stringify({ text }));
          expect((await cipher.open(name, sealed))?.envelope).toEqual({ text });
        },
      ),
      { numRuns: 100 },
    );
  });

  test('base64 agrees with the platform', () => {
    assert(
      property(uint8Array({ maxLength: 100 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(bytesToBase64(bytes)).toBe(text);
        expect(base64ToBytes(text)).toEqual(new Uint8Array(bytes));
      }),
    );
  });
});
