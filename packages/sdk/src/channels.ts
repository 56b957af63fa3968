import { parseJoinUrl } from '@parley/protocol/channels/join-url';
import {
  type CryptoSource,
  keyFingerprint,
  keyToFragment,
  newKey,
  randomHex,
} from '@parley/protocol/channels/key';
import { CHALLENGE_BYTES } from '@parley/protocol/channels/limits';
import { ChannelClient } from './channels/client.ts';
import { FetchTransport } from './channels/fetch-transport.ts';
import type { Identity } from './channels/identity.ts';
import { checkKeys, type KeyCheck } from './channels/key-check.ts';
import { joinUnderFreeName } from './channels/membership.ts';
import { ChannelSession, type SessionOptions, type SessionState } from './channels/session.ts';
import { baseUrl } from './channels/transport.ts';

export interface CreatedChannel {
  session: ChannelSession;
  /** What to show the user, to be carried to the other agent. */
  shareMessage: string;
  /** The same for a person with a browser; `__TOPIC__` in it is for the sender to fill in. */
  shareMessageHuman: string | undefined;
}

/** Nobody in the channel has our key, and somebody has another: the URL was damaged or is for another channel. */
export class KeyMismatchError extends Error {
  override readonly name = 'KeyMismatchError';
  readonly peers: readonly string[];

  constructor(peers: readonly string[]) {
    super(
      `fingerprint mismatch: the key of this URL is not the key of the channel; disagreeing peers: ${peers.join(' ')}`,
    );
    this.peers = peers;
  }
}

async function create(request: { server: string; name: string } & SessionOptions): Promise<CreatedChannel> {
  const { name, ...options } = request;
  const server = baseUrl(request.server);
  const client = new ChannelClient(options.transport ?? new FetchTransport(server));
  const key = newKey(options.crypto);
  const { channel_id: channelId, token, ...answer } = await client.create();
  const seat = await takeSeat(client, { channelId, token, key, name }, options.crypto);
  const publicServer = publicBase(answer.api_join_url);
  const session = await ChannelSession.open(
    { server, publicServer, ...seat.identity, cursor: seat.cursor },
    options,
  );
  const fill = (message: string): string => message.replaceAll('__KEY__', keyToFragment(key));
  return {
    session,
    shareMessage: fill(answer.share_message),
    shareMessageHuman: answer.share_message_human && fill(answer.share_message_human),
  };
}

/** The part of a URL the server handed out that belongs to the server. */
function publicBase(apiJoinUrl: unknown): string | undefined {
  return typeof apiJoinUrl === 'string' ? /^(https?:.+)\/channels\//.exec(apiJoinUrl)?.[1] : undefined;
}

export interface JoinOptions extends SessionOptions {
  name: string;
  /** Hear what was said before, too. */
  history?: boolean | undefined;
  /** Our participant id from before a crash: come back as the same participant if it is still there. */
  resume?: string | undefined;
}

async function join(url: string, request: JoinOptions): Promise<ChannelSession> {
  const { name, history = false, resume, ...options } = request;
  const { base: server, channelId, token, key } = parseJoinUrl(url);
  const client = new ChannelClient(options.transport ?? new FetchTransport(server));
  const seat = await takeSeat(client, { channelId, token, key, name, resume }, options.crypto);
  const { identity, keyCheck, resumed } = seat;
  if (keyCheck.verdict === 'mismatch') {
    await client.leave(channelId, { token, participant_id: identity.participantId });
    throw new KeyMismatchError(keyCheck.different);
  }
  const session = await ChannelSession.open(
    {
      server,
      ...identity,
      cursor: history ? 0 : seat.cursor,
      challenge: randomHex(CHALLENGE_BYTES, options.crypto),
      knownNames: seat.others,
    },
    options,
    keyCheck,
  );
  // Not fatal: it is sent again when the session is listened to.
  await session.hello({ resumed }).catch(() => undefined);
  return session;
}

interface TakenSeat {
  identity: Identity;
  cursor: number;
  others: string[];
  keyCheck: KeyCheck;
  resumed: boolean;
}

async function takeSeat(
  client: ChannelClient,
  wanted: Omit<Identity, 'participantId'> & { resume?: string | undefined },
  crypto?: CryptoSource,
): Promise<TakenSeat> {
  const { channelId, token, key, resume } = wanted;
  const fingerprint = await keyFingerprint(key, crypto);
  const request = { token, name: wanted.name, key_fp: fingerprint, resume };
  const { answer, name } = await joinUnderFreeName(client, channelId, request);
  const roster =
    answer.roster ?? answer.participants.map((peer) => ({ name: peer, key_fp: null, last_seen_s: 0 }));
  return {
    identity: { channelId, token, key, name, participantId: answer.participant_id },
    cursor: answer.cursor ?? 0,
    others: answer.participants.filter((peer) => peer !== name),
    keyCheck: checkKeys(roster, name, fingerprint),
    resumed: answer.resumed === true,
  };
}

/**
 * ```ts
 * const { session, shareMessage } = await channels.create({ server: 'http://127.0.0.1:7330', name: 'laptop' });
 * await session.send('hello');
 * for await (const event of session.stream()) if (event.type === 'message') …
 * ```
 */
export const channels = {
  create,
  join,
  open: (state: SessionState, options?: SessionOptions) => ChannelSession.open(state, options),
};
