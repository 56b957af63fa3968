import { chainMark, classify, welcomeEnvelope } from '@parley/protocol/channels/content';
import type { ChannelCipher } from '@parley/protocol/channels/envelope';
import type { MessageEvent, WireEvent } from '@parley/protocol/channels/types';
import type { JsonObject } from '@parley/protocol/json';
import { Handshake } from '@parley/sdk/channels/handshake';
import { ReplayGuard } from '@parley/sdk/channels/listening/replay-guard';
import { blobHash } from '@parley/sdk/channels/send-chain';
import type { Conversation } from './conversation.ts';
import type { Outbox } from './outbox.ts';
import type { Peer, Peers } from './peers.ts';
import { endingInWords } from './words.ts';

export interface InboxParts {
  readonly name: string;
  readonly challenge: string;
  readonly cipher: ChannelCipher;
  readonly conversation: Conversation;
  readonly peers: Peers;
  readonly outbox: Pick<Outbox, 'confirm'>;
  /** The person only reads, and says so when greeted. */
  readonly isReader: boolean;
  /** From the first event on, so that what is missing at the beginning is noticed, too. */
  readonly fromStart: boolean;
  /** Somebody came: their key fingerprint is on the new roster. */
  readonly arrived: () => void;
  readonly answer: (envelope: JsonObject) => void;
  readonly heard: (from: string, text: string) => void;
}

/** What each event means for the person in one seat: a message, a line, a fact about a peer, or nothing. */
export class Inbox {
  readonly #parts: InboxParts;
  readonly #handshake: Handshake;
  readonly #guard: ReplayGuard;

  constructor(parts: InboxParts) {
    this.#parts = parts;
    this.#handshake = new Handshake(parts.challenge);
    this.#guard = new ReplayGuard(parts);
  }

  async take(event: WireEvent): Promise<void> {
    const { name, conversation, outbox } = this.#parts;
    if (event.type === 'system')
      return conversation.note(endingInWords(event.reason), 'warn', event.timestamp);
    if (event.type === 'message') {
      if (event.from === name) outbox.confirm(event.text, event.index);
      else await this.#open(event);
      return;
    }
    if (event.from !== name) this.#presence(event.type, event.from, event.timestamp);
  }

  #presence(type: 'join' | 'leave', from: string, at: number): void {
    const { conversation, peers, arrived } = this.#parts;
    if (type === 'join') {
      peers.add(from);
      conversation.note(`${from} joined`, 'soft', at);
      arrived();
    } else {
      peers.remove(from);
      this.#handshake.left(from);
      conversation.note(`${from} left`, 'soft', at);
    }
  }

  async #open(event: MessageEvent): Promise<void> {
    const { cipher, conversation, peers } = this.#parts;
    const { from, text, index, timestamp } = event;
    const opened = await cipher.open(from, text);
    if (opened === undefined) {
      const why = 'It was sealed with another key, or changed on the way.';
      return conversation.note(`A message from ${from} could not be opened. ${why}`, 'warn', timestamp);
    }
    const seen = this.#guard.check(text, index);
    if (seen === 'replayed') {
      return conversation.note(`A repeated message from ${from} was left out.`, 'warn', timestamp);
    }
    if (seen === 'again') return;
    const mark = chainMark(opened.envelope);
    const missing = mark === undefined ? 0 : this.#guard.missing(from, mark, await blobHash(text));
    if (missing > 0) conversation.note(missingInWords(from, missing), 'warn', timestamp);
    // What opens was sealed with this key, and sent by somebody who is there.
    peers.learn(from, {
      seenAt: timestamp,
      ...(peers.get(from)?.key === 'proved' ? {} : { key: 'same' as const }),
    });
    this.#understand(event, opened.envelope);
  }

  #understand({ from, timestamp, index }: MessageEvent, envelope: JsonObject): void {
    const { name, isReader, conversation, peers, answer, heard } = this.#parts;
    const content = classify(envelope);
    switch (content.kind) {
      case 'hello':
        peers.learn(from, kindOf(content.human, content.reader));
        if (!this.#handshake.takeHello(from, content.challenge)) return;
        answer({
          ...welcomeEnvelope(content.challenge, from),
          human: true,
          ...(isReader && { reader: true }),
        });
        return;
      case 'welcome':
        if (content.to !== name || !this.#handshake.takeWelcome(from, content.challenge)) return;
        peers.learn(from, { key: 'proved', ...kindOf(envelope['human'], envelope['reader']) });
        return;
      case 'text':
        conversation.hear({
          from,
          text: content.text,
          at: timestamp,
          aside: content.to === name,
          to: content.to ?? '',
          index,
        });
        // What is addressed to others can be read by all, but calls for nobody's attention.
        if (content.to === undefined || content.to === name) heard(from, content.text);
        return;
      case 'nothing':
    }
  }
}

function kindOf(human: unknown, reader: unknown): Pick<Peer, 'kind'> {
  if (human !== true) return { kind: 'agent' };
  return { kind: reader === true ? 'reader' : 'human' };
}

function missingInWords(from: string, count: number): string {
  return count === 1 ? `A message from ${from} is missing.` : `${count} messages from ${from} are missing.`;
}
