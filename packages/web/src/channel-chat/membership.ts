import { randomHex } from '@parley/protocol/channels/key';
import { CHALLENGE_BYTES } from '@parley/protocol/channels/limits';
import type { JoinAnswer, RosterEntry } from '@parley/protocol/channels/types';
import { checkKeys, type KeyCheck } from '@parley/sdk/channels/key-check';
import { type ChannelApi, ChannelError } from './channel-api.ts';
import { nameCandidates } from './person-name.ts';

/** One seat in the channel. Lives in memory only: a reload takes a new one. */
export interface Membership {
  readonly participantId: string;
  readonly name: string;
  readonly challenge: string;
  readonly roster: readonly RosterEntry[];
  readonly cursor: number;
  readonly keyCheck: KeyCheck;
}

/** Everybody else holds another key: going on would only produce messages nobody can read. */
export class WrongKeyError extends Error {
  override readonly name = 'WrongKeyError';
  readonly others: readonly string[];

  constructor(others: readonly string[]) {
    super('the others hold a different key');
    this.others = others;
  }
}

const PATIENCE_MS = [150, 300, 600];

export interface JoinWish {
  readonly name: string;
  readonly fingerprint: string;
  /** A page that reloads asks for its name while its own farewell may still be on the way. */
  readonly patient: boolean;
}

export async function joinChannel(api: ChannelApi, wish: JoinWish): Promise<Membership> {
  const { name, answer } = await firstFreeName(api, wish);
  const { participant_id: participantId, roster = [], cursor = 0 } = answer;
  const keyCheck = checkKeys(roster, name, wish.fingerprint);
  if (keyCheck.verdict === 'mismatch') {
    await api.leave(participantId).catch(() => undefined);
    throw new WrongKeyError(keyCheck.different);
  }
  return { participantId, name, roster, cursor, keyCheck, challenge: randomHex(CHALLENGE_BYTES) };
}

async function firstFreeName(api: ChannelApi, wish: JoinWish): Promise<{ name: string; answer: JoinAnswer }> {
  const waits = wish.patient ? PATIENCE_MS : [];
  const attempts = [...waits.map(() => wish.name), ...nameCandidates(wish.name)];
  let refusal: unknown;
  for (const [attempt, name] of attempts.entries()) {
    try {
      return { name, answer: await api.join(name, wish.fingerprint) };
    } catch (error) {
      if (!(error instanceof ChannelError) || error.code !== 'name_taken') throw error;
      refusal = error;
      const wait = waits[attempt];
      if (wait !== undefined) await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  throw refusal;
}
