import { ChannelCipher } from '@parley/protocol/channels/envelope';
import type { CryptoSource } from '@parley/protocol/channels/key';
import { ChannelClient } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Identity } from './identity.ts';
import { Outbox } from './outbox.ts';
import { Seat, type SeatStorage } from './seat.ts';
import { type ChainState, SendChain } from './send-chain.ts';
import type { Transport } from './transport.ts';

export interface LinkOptions {
  transport: Transport;
  identity: Identity;
  storage?: SeatStorage | undefined;
  /** Where the numbering of our messages stands, when it goes on from an earlier run. */
  chain?: ChainState | undefined;
  clock?: Clock | undefined;
  /** For platforms without a global WebCrypto. */
  crypto?: CryptoSource | undefined;
}

/** Everything one participant needs to speak and hear in one channel. */
export interface Link {
  client: ChannelClient;
  seat: Seat;
  cipher: ChannelCipher;
  chain: SendChain;
  outbox: Outbox;
  clock: Clock;
  crypto: CryptoSource | undefined;
}

export async function openLink(options: LinkOptions): Promise<Link> {
  const { transport, identity, storage, crypto, clock = systemClock } = options;
  const client = new ChannelClient(transport);
  const seat = new Seat(client, identity, storage, crypto);
  const cipher = await ChannelCipher.create(identity.channelId, identity.key, crypto);
  const chain = new SendChain(crypto, options.chain);
  const outbox = new Outbox({ client, seat, cipher, chain, clock, crypto });
  return { client, seat, cipher, chain, outbox, clock, crypto };
}
