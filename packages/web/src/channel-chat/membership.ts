import { CHALLENGE_BYTES } from '@parley/protocol/channels/limits';
import { randomHex } from '@parley/protocol/channels/key';
import { type ChannelApi, ChannelError } from './channel-api.ts';
import { checkKeys, type KeyCheck } from './key-check.ts';
import { nameCandidates } from './person-name.ts';
import type { Joined } from './wire.ts';

/** One seat in the channel. Lives in memory only: a reload takes a new one. */
export interface Membership extends Joined {
  readonly name: string;
  readonly challenge: string;
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
  const { name, joined } = await firstFreeName(api, wish);
  const keyCheck = checkKeys(joined.roster, name, wish.fingerprint);
  if (keyCheck.verdict === 'mismatch') {
    await api.leave(joined.participantId).catch(() => undefined);
    throw new WrongKeyError(keyCheck.different);
  }
  return { ...joined, name, keyCheck, challenge: randomHex(CHALLENGE_BYTES) };
}

async function firstFreeName(api: ChannelApi, wish: JoinWish): Promise<{ name: string; joined: Joined }> {
  const waits = wish.patient ? PATIENCE_MS : [];
  const candidates = nameCandidates(wish.name);
  const attempts = [...waits.map(() => candidates[0] ?? wish.name), ...candidates];
  let refusal: unknown;
  for (const [attempt, name] of attempts.entries()) {
    try {
      return { name, joined: await api.join(name, wish.fingerprint) };
    } catch (error) {
      if (!(error instanceof ChannelError) || error.code !== 'name_taken') throw error;
      refusal = error;
      const wait = waits[attempt];
      if (wait !== undefined) await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  throw refusal;
}
