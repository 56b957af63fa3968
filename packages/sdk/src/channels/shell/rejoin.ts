import { keyFingerprint } from '@parley/protocol/channels/key';
import { ChannelClient } from '../client.ts';
import { joinUnderFreeName } from '../membership.ts';
import type { SeatStorage } from '../seat.ts';
import { crypto, errorCode, needed, openTransport, ownIdentity, variable } from './environment.ts';
import type { Outcome } from './outcome.ts';
import { readIdentity, writeIdentity } from './session.ts';

/** The session file is where the processes of one participant tell each other who they are now. */
export function seatStorage(): SeatStorage {
  const file = variable('SESSION_FILE');
  if (file === '') return {};
  return {
    saveIdentity: (membership) => writeIdentity(file, membership),
    loadIdentity: () => readIdentity(file),
  };
}

/**
 * `agentalk_rejoin`: prints participant id and name for the shell to keep. After a crash the server still knows the old
 * participant and gives the same place back; after a sleep it does not, and gives a new one.
 */
export async function rejoin(): Promise<Outcome> {
  const { channelId, token, key, participantId, name } = ownIdentity();
  const client = new ChannelClient(openTransport());
  try {
    const joined = await joinUnderFreeName(client, channelId, {
      token,
      name,
      key_fp: await keyFingerprint(key, crypto),
      resume: participantId,
    });
    const membership = { participantId: joined.answer.participant_id, name: joined.name };
    seatStorage().saveIdentity?.(membership);
    return { code: 0, text: `${membership.participantId} ${membership.name}\n` };
  } catch (error) {
    return { code: 1, text: `agentalk: REJOIN_FAILED error=${errorCode(error)}\n` };
  }
}

/** `agentalk_persist_identity` */
export async function persistIdentity(): Promise<Outcome> {
  writeIdentity(needed('SESSION_FILE'), { participantId: needed('PARTICIPANT_ID'), name: needed('MY_NAME') });
  return { code: 0, text: '' };
}
