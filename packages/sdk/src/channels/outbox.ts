import type { ChannelCipher } from '@parley/protocol/channels/envelope';
import { type CryptoSource, randomHex } from '@parley/protocol/channels/key';
import { MAX_ENVELOPE_BYTES } from '@parley/protocol/channels/limits';
import type { SendAnswer } from '@parley/protocol/channels/types';
import type { JsonObject } from '@parley/protocol/json';
import { isTrouble } from '../passing.ts';
import { ChannelError } from './channel-error.ts';
import type { ChannelClient } from './client.ts';
import { type Clock, sleep } from './clock.ts';
import type { Seat } from './seat.ts';
import type { SendChain } from './send-chain.ts';
import { TransportError } from './transport.ts';

const RETRY_DELAYS_MS = [250, 1_000, 2_000];

export interface OutboxParts {
  client: ChannelClient;
  cipher: ChannelCipher;
  /** Who sends; `rejoin` is called when the channel sleeps, and changes the identity. */
  seat: Pick<Seat, 'identity' | 'rejoin'>;
  chain: SendChain;
  clock: Clock;
  crypto?: CryptoSource | undefined;
}

/** Seals envelopes and sends them one after the other. Retries carry one `client_id`, so each is stored once. */
export class Outbox {
  readonly #parts: OutboxParts;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Sends in the order of the calls, so that the numbers in the envelopes rise as the log does. */
  send(envelope: JsonObject): Promise<SendAnswer> {
    const sent = this.#last.then(() => this.#sendOrWake(envelope));
    this.#last = sent.catch(() => undefined);
    return sent;
  }

  async #sendOrWake(envelope: JsonObject): Promise<SendAnswer> {
    const { seat, chain } = this.#parts;
    try {
      return await this.#sealAndSend(envelope);
    } catch (error) {
      if (!(error instanceof ChannelError) || !error.hibernating) throw error;
      await seat.rejoin();
      chain.restart();
      return this.#sealAndSend(envelope);
    }
  }

  async #sealAndSend(envelope: JsonObject): Promise<SendAnswer> {
    const { cipher, seat, chain, clock, crypto } = this.#parts;
    const mark = chain.next(clock.now());
    const marked = JSON.stringify({ ...envelope, ...mark });
    // A message that only just fits goes without its number rather than not at all.
    const fits = new TextEncoder().encode(marked).length <= MAX_ENVELOPE_BYTES;
    const text = await cipher.seal(seat.identity.name, fits ? marked : JSON.stringify(envelope));
    try {
      const answer = await this.#attempt(text, randomHex(8, crypto));
      if (fits) await chain.sent(mark, text);
      return answer;
    } catch (error) {
      if (fits && error instanceof TransportError) await chain.sent(mark, text);
      throw error;
    }
  }

  async #attempt(text: string, clientId: string): Promise<SendAnswer> {
    const { client, seat, clock } = this.#parts;
    for (let attempt = 0; ; attempt++) {
      try {
        const { channelId, token, participantId } = seat.identity;
        return await client.send(channelId, {
          token,
          participant_id: participantId,
          text,
          client_id: clientId,
        });
      } catch (error) {
        const delay = RETRY_DELAYS_MS[attempt];
        if (delay === undefined || !worthRepeating(error)) throw error;
        await sleep(clock, delay);
      }
    }
  }
}

function worthRepeating(error: unknown): boolean {
  if (error instanceof TransportError) return error.failure !== 'aborted';
  return error instanceof ChannelError && isTrouble(error.status);
}
