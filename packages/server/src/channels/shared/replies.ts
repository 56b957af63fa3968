import { hash } from 'node:crypto';
import type { ChannelErrorCode, EvictionReason } from '@parley/protocol/channels/errors';
import { handleOf } from '../channel.ts';
import type { ChannelCredentials } from '../store.ts';
import { ChannelError, channelAsleep, channelGone, channelUnknown, storeAway } from '../errors.ts';

/** What a function answers: how it went, what it changed of the totals (0: nothing), and what was asked for. */
export type Reply = readonly [code: string, account: 0 | readonly (number | string)[], ...rest: unknown[]];

/** What Redis is told of a secret. What is no text has none, and the same length. */
export function hashed(secret: unknown): string {
  return typeof secret === 'string' ? hash('sha256', secret, 'base64') : NO_HASH;
}

/** Of 32 bytes as base64. */
export const HASH_LENGTH = 44;
const NO_HASH = '-'.repeat(HASH_LENGTH);

export const handle = (participantId: unknown): string =>
  typeof participantId === 'string' ? handleOf(participantId) : '';

/** In one word: each word of a call costs something. */
export const credentialsWord = ({ token, participantId }: ChannelCredentials): string =>
  hashed(token) + hashed(participantId) + handle(participantId);

/** What was asked for. */
export function accepted([code, , ...rest]: Reply): unknown[] {
  if (code === 'ok') return rest;
  if (code === 'unknown') throw channelUnknown();
  if (code === 'asleep') throw channelAsleep();
  // Codes of the catalogue, which our own functions answer.
  if (code === 'gone') throw channelGone(rest[0] as EvictionReason, Number(rest[1]));
  throw new ChannelError(code as ChannelErrorCode);
}

export async function reached<Value>(asked: Promise<Value>): Promise<Value> {
  return await asked.catch(failed);
}

/** A fault of a function is ours; everything else means that Redis cannot do it now. */
export function failed(error: unknown): never {
  throw error instanceof Error && error.message.startsWith('ERR') ? error : storeAway();
}
