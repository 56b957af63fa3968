import type { ChainMark } from '@parley/protocol/channels/content';
import type { ChannelCipher } from '@parley/protocol/channels/envelope';
import type { JsonObject } from '@parley/protocol/json';
import { SendChain } from '@parley/sdk/channels/send-chain';
import { type ChannelApi, ChannelError } from './channel-api.ts';

/** An envelope on its way. A retry repeats the very same bytes, so that everyone can tell it from a second message. */
export interface Letter {
  readonly envelope: JsonObject;
  readonly clientId: string;
  sealed: { readonly sender: string; readonly blob: string } | null;
}

export interface Sender {
  readonly participantId: string;
  readonly name: string;
}

/** Seals and sends for one seat, one letter after the other, so that their numbers rise as the log does. */
export class SealedSender {
  readonly #api: ChannelApi;
  readonly #cipher: ChannelCipher;
  readonly #sender: Sender;
  readonly #chain = new SendChain();
  #last: Promise<unknown> = Promise.resolve();

  constructor(api: ChannelApi, cipher: ChannelCipher, sender: Sender) {
    this.#api = api;
    this.#cipher = cipher;
    this.#sender = sender;
  }

  send(letter: Letter): Promise<void> {
    const sent = this.#last.then(() => this.#send(letter));
    this.#last = sent.catch(() => undefined);
    return sent;
  }

  async #send(letter: Letter): Promise<void> {
    const { participantId, name } = this.#sender;
    if (letter.sealed?.sender === name)
      return this.#api.send(participantId, letter.sealed.blob, letter.clientId);
    const mark = this.#chain.next(Date.now());
    const blob = await this.#cipher.seal(name, JSON.stringify({ ...letter.envelope, ...mark }));
    letter.sealed = { sender: name, blob };
    await this.#post(letter, mark, blob);
  }

  async #post(letter: Letter, mark: ChainMark, blob: string): Promise<void> {
    try {
      await this.#api.send(this.#sender.participantId, blob, letter.clientId);
    } catch (error) {
      // A refused letter was never stored: it is sealed anew, under the number that is then next.
      if (error instanceof ChannelError) letter.sealed = null;
      else await this.#chain.sent(mark, blob);
      throw error;
    }
    await this.#chain.sent(mark, blob);
  }
}
