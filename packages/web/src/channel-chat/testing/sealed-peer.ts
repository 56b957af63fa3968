import { type Content, classify, textEnvelope } from '@parley/protocol/channels/content';
import { ChannelCipher } from '@parley/protocol/channels/envelope';
import { keyFingerprint } from '@parley/protocol/channels/key';
import type { WireEvent } from '@parley/protocol/channels/types';
import type { JsonObject } from '@parley/protocol/json';
import type { Channel, Peer } from '@parley/server/testing/channel-client';
import { expect } from 'vitest';

export interface Seen {
  readonly event: WireEvent;
  readonly envelope: JsonObject;
  readonly content: Content;
}

/** Another participant, as an agent would be one: plain HTTP and the shared envelope library. */
export class SealedPeer {
  readonly #peer: Peer;
  readonly #cipher: ChannelCipher;
  readonly #seen: Seen[] = [];
  #cursor = 0;

  private constructor(peer: Peer, cipher: ChannelCipher) {
    this.#peer = peer;
    this.#cipher = cipher;
  }

  static async join(channel: Channel, name: string, key: string, keyFp?: string | null): Promise<SealedPeer> {
    const fingerprint = keyFp === undefined ? await keyFingerprint(key) : keyFp;
    const peer = await channel.join(name, { key_fp: fingerprint });
    return new SealedPeer(peer, await ChannelCipher.create(channel.id, key));
  }

  async seal(envelope: JsonObject): Promise<string> {
    return await this.#cipher.seal(this.#peer.name, JSON.stringify(envelope));
  }

  async tell(envelope: JsonObject): Promise<void> {
    await this.post(await this.seal(envelope));
  }

  async post(text: string): Promise<void> {
    const answer = await this.#peer.send(text);
    if (answer.status !== 200) throw new Error(`send: ${answer.status} ${answer.text}`);
  }

  async say(text: string, to?: string): Promise<void> {
    await this.tell(textEnvelope(text, to));
  }

  async leave(): Promise<void> {
    await this.#peer.leave();
  }

  /** Waits for an event that fits. */
  async until(fits: (seen: Seen) => boolean): Promise<Seen> {
    const match = async (): Promise<Seen | undefined> => {
      if (!this.#seen.some(fits)) await this.#read(1);
      return this.#seen.find(fits);
    };
    await expect.poll(match).toBeDefined();
    return (await match()) as Seen;
  }

  async untilText(text: string): Promise<Seen> {
    return await this.until(({ content }) => content.kind === 'text' && content.text === text);
  }

  async untilGone(name: string): Promise<void> {
    await this.until(({ event }) => event.type === 'leave' && event.from === name);
  }

  /** Everything in the log up to now. */
  async all(): Promise<readonly Seen[]> {
    await this.#read(0);
    return this.#seen;
  }

  async #read(wait: number): Promise<void> {
    const { status, body } = await this.#peer.poll({ since: this.#cursor, wait });
    if (status === 204) return;
    if (status !== 200) throw new Error(`poll: ${status}`);
    for (const event of body.messages) {
      const opened = event.type === 'message' ? await this.#cipher.open(event.from, event.text) : undefined;
      const envelope = opened?.envelope ?? {};
      this.#seen.push({ event, envelope, content: classify(envelope) });
    }
    this.#cursor = body.cursor;
  }
}
