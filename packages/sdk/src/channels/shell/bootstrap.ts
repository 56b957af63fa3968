import { rmSync } from 'node:fs';
import { helloEnvelope } from '@parley/protocol/channels/content';
import { cleanName } from '@parley/protocol/channels/event-lines';
import { keyFingerprint, keyToFragment, newKey, randomHex } from '@parley/protocol/channels/key';
import { CHALLENGE_BYTES } from '@parley/protocol/channels/limits';
import type { JoinAnswer } from '@parley/protocol/channels/types';
import { ChannelClient } from '../client.ts';
import { checkKeys, type KeyCheck } from '../key-check.ts';
import { joinUnderFreeName } from '../membership.ts';
import {
  crypto,
  needed,
  openTransport,
  readInput,
  readKey,
  type SessionVariables,
  ShellError,
  variable,
} from './environment.ts';
import type { Outcome } from './outcome.ts';
import { ownName } from './own-name.ts';
import { createPrivateFile, UnsafeFileError } from './private-files.ts';
import { explained } from './refusal.ts';
import { sendOnce } from './sending.ts';
import { sessionPaths, writeSession } from './session.ts';

/** Creates a channel, joins it and writes the files of the session. Prints the session file, then what to tell. */
export async function initiate(): Promise<Outcome> {
  const helpers = await readHelpers();
  const client = new ChannelClient(openTransport());
  const key = newKey(crypto);
  const created = await explained(client.create());
  const { channel_id: channelId, token } = created;
  const name = ownName(variable('AGENTALK_NAME'), variable('AGENTALK_DIR'));
  const fingerprint = await keyFingerprint(key, crypto);
  const joined = await explained(client.join(channelId, { token, name, key_fp: fingerprint }));
  const paths = sessionPaths(channelId, name);
  const withKey = (text: string): string => text.replaceAll('__KEY__', keyToFragment(key));

  await orLeave(client, channelId, token, joined, (create) => {
    create(paths.events, '');
    create(paths.share, `${withKey(created.share_message)}\n`);
    create(paths.shareHuman, `${withKey(created.share_message_human ?? '')}\n`);
    const session = variables({ channelId, token, name, key, joined });
    writeSession({ ...session, SHARE_FILE: paths.share, SHARE_HUMAN_FILE: paths.shareHuman }, helpers);
  });
  return { code: 0, text: `${paths.session}\nREADY initiator: channel=${channelId} name=${name}\n` };
}

/** Joins the channel of the link, unless everyone there holds another key, and says hello. */
export async function join(): Promise<Outcome> {
  const helpers = await readHelpers();
  const client = new ChannelClient(openTransport());
  const channelId = needed('CHANNEL_ID');
  const token = needed('TOKEN');
  const key = keyFromLink();
  const fingerprint = await keyFingerprint(key, crypto);
  const wanted = ownName(variable('AGENTALK_NAME'), variable('AGENTALK_DIR'));
  const { answer: joined, name } = await explained(
    joinUnderFreeName(client, channelId, { token, name: wanted, key_fp: fingerprint }),
  );
  const check = checkKeys(joined.roster ?? [], name, fingerprint);
  const others = joined.participants.filter((other) => other !== name);
  const challenge = randomHex(CHALLENGE_BYTES, crypto);
  const paths = sessionPaths(channelId, name);

  await orLeave(client, channelId, token, joined, (create) => {
    if (check.verdict === 'mismatch') {
      const peers = names(check.different);
      throw new ShellError(
        `key fingerprint mismatch: the key in this link is not the key of this channel; disagreeing peers: ${peers}`,
      );
    }
    create(paths.events, '');
    writeSession({ ...variables({ channelId, token, name, key, joined }), MY_CHALL: challenge }, helpers);
  });
  const identity = { channelId, token, key, participantId: joined.participant_id, name };
  // The loop says hello again, so a failure here costs nothing but time.
  await sendOnce(identity, helloEnvelope(challenge), paths.chain).catch(() => undefined);
  const lines = [
    paths.session,
    `READY joiner: channel=${channelId} name=${name} others=${names(others)} key=${check.verdict}`,
    ...note(check, others),
  ];
  return { code: 0, text: `${lines.join('\n')}\n` };
}

/** The text of the shell functions comes on stdin: the session file ends with it. */
async function readHelpers(): Promise<string> {
  return (await readInput()).toString('utf8');
}

function keyFromLink(): string {
  const given = variable('AGENTALK_KEY').trim();
  if (given === '') {
    throw new ShellError(
      'AGENTALK_KEY is not set: set it to the part of the join URL after "#k=" (43 base64url or 64 hex characters)',
    );
  }
  return readKey(given);
}

function variables(of: {
  channelId: string;
  token: string;
  name: string;
  key: string;
  joined: JoinAnswer;
}): SessionVariables {
  const paths = sessionPaths(of.channelId, of.name);
  return {
    BRIDGE_URL: needed('BRIDGE_URL'),
    CHANNEL_ID: of.channelId,
    TOKEN: of.token,
    PARTICIPANT_ID: of.joined.participant_id,
    MY_NAME: of.name,
    CHANNEL_KEY: of.key,
    SESSION_FILE: paths.session,
    EVENTS_FILE: paths.events,
  };
}

function note({ verdict, equal, different, silent }: KeyCheck, others: readonly string[]): string[] {
  if (verdict === 'partial') {
    return [
      `NOTE: key=partial — same key: ${names(equal)}; another key, cannot read you: ${names(different)}`,
    ];
  }
  if (verdict !== 'unverified') return [];
  const reason =
    others.length === 0
      ? 'nobody else is in the room yet'
      : `no key fingerprint reported by: ${names(silent.length > 0 ? silent : others)}`;
  return [`NOTE: key=unverified — ${reason}; the key is proved by a line "PAIRED with <name>"`];
}

function names(list: readonly string[]): string {
  return list.map(cleanName).join(' ');
}

/** Whoever could not set up its session must not stay in the room as a ghost, nor leave half of its files. */
async function orLeave(
  client: ChannelClient,
  channelId: string,
  token: string,
  joined: JoinAnswer,
  setUp: (create: typeof createPrivateFile) => void,
): Promise<void> {
  const made: string[] = [];
  try {
    setUp((path, text) => {
      createPrivateFile(path, text);
      made.push(path);
    });
  } catch (error) {
    for (const path of made) rmSync(path, { force: true });
    await client.leave(channelId, { token, participant_id: joined.participant_id }).catch(() => undefined);
    if (error instanceof UnsafeFileError) throw new ShellError(error.message);
    throw error;
  }
}
