import { createHash } from 'node:crypto';
import type { ChannelErrorCode, EvictionReason } from '@parley/protocol/channels/errors';
import { handleOf } from '../channel.ts';
import { ChannelError, channelAsleep, channelGone, channelUnknown, storeAway } from '../errors.ts';

/** What a script answers: how it went, what it changed of the totals, and what was asked for. */
export type Reply = readonly [code: string, account: readonly (number | string)[], ...rest: unknown[]];

/** What Redis is told of a secret. Nothing that is no text has one. */
export function hashed(secret: unknown): string {
  return typeof secret === 'string' ? createHash('sha256').update(secret).digest('base64') : '';
}

export const handle = (participantId: unknown): string =>
  typeof participantId === 'string' ? handleOf(participantId) : '';

export function accepted(reply: Reply): Reply {
  const [code, , ...rest] = reply;
  if (code === 'ok') return reply;
  if (code === 'unknown') throw channelUnknown();
  if (code === 'asleep') throw channelAsleep();
  // Codes of the catalogue, which our own scripts answer.
  if (code === 'gone') throw channelGone(rest[0] as EvictionReason, Number(rest[1]));
  throw new ChannelError(code as ChannelErrorCode);
}

/** A fault of a script is ours; everything else means that Redis cannot do it now. */
export async function reached<Value>(asked: Promise<Value>): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('ERR')) throw error;
    throw storeAway();
  }
}
