import type { JsonObject } from '../json.ts';

/** What an envelope means. The first match wins, in the order hello, welcome, text. */
export type Content =
  | { kind: 'hello'; challenge: string; human: boolean; resumed: boolean; reader: boolean }
  | { kind: 'welcome'; challenge: string; to: string }
  | { kind: 'text'; text: string; to?: string }
  | { kind: 'nothing' };

/** Where a message stands in its sender's sequence, so that a hostile server cannot repeat or hide one unnoticed. */
export interface ChainMark {
  /** One run of the sender's counter; a new process may start a new one. */
  sid: string;
  /** Counts from 1 within `sid`. */
  seq: number;
  /** Sender's clock, Unix milliseconds. */
  ts?: number;
  /** `blobHash` of the sender's message before this one. */
  prev?: string;
}

// A challenge is sent back, so it is only ever taken when it is what a challenge is.
const CHALLENGE = /^[0-9a-f]{1,64}$/i;

export function classify(envelope: JsonObject): Content {
  const { hello, welcome, text, to } = envelope;
  if (typeof hello === 'string' && CHALLENGE.test(hello)) {
    return {
      kind: 'hello',
      challenge: hello,
      human: envelope['human'] === true,
      resumed: envelope['resumed'] === true,
      reader: envelope['reader'] === true,
    };
  }
  if (typeof welcome === 'string' && welcome !== '' && typeof to === 'string') {
    return { kind: 'welcome', challenge: welcome, to };
  }
  if (typeof text !== 'string' || text === '') return { kind: 'nothing' };
  if (to === undefined || to === null || to === '') return { kind: 'text', text };
  return typeof to === 'string' ? { kind: 'text', text, to } : { kind: 'nothing' };
}

export function textEnvelope(text: string, to?: string): JsonObject {
  return to === undefined ? { text } : { to, text };
}

export function helloEnvelope(
  challenge: string,
  who: { human?: boolean; resumed?: boolean; reader?: boolean } = {},
): JsonObject {
  return {
    hello: challenge,
    ...(who.human ? { human: true } : {}),
    ...(who.resumed ? { resumed: true } : {}),
    ...(who.reader ? { reader: true } : {}),
  };
}

export function welcomeEnvelope(challenge: string, to: string): JsonObject {
  return { welcome: challenge, to };
}

export function chainMark(envelope: JsonObject): ChainMark | undefined {
  const { sid = '', seq, ts, prev } = envelope;
  if (typeof sid !== 'string' || typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1)
    return undefined;
  return {
    sid,
    seq,
    ...(typeof ts === 'number' ? { ts } : {}),
    ...(typeof prev === 'string' ? { prev } : {}),
  };
}
