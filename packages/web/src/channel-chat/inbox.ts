import { classify, welcomeEnvelope } from '@parley/protocol/channels/content';
import type { ChannelCipher, JsonObject } from '@parley/protocol/channels/envelope';
import type { MessageEvent, WireEvent } from '@parley/protocol/channels/types';
import type { Conversation } from './conversation.ts';
import type { Membership } from './membership.ts';
import type { Outbox } from './outbox.ts';
import type { Peers } from './peers.ts';
import { endingInWords } from './words.ts';

/** Base64 of the 12-byte nonce that opens every sealed text. */
const NONCE_CHARACTERS = 16;

export interface InboxActions {
  /** Somebody came: their key fingerprint is on the new roster. */
  arrived(): void;
  answer(envelope: JsonObject): void;
  heard(from: string, text: string): void;
}

/** What each event means for the person: a message, a line, a fact about a peer, or nothing. */
export class Inbox {
  readonly #cipher: ChannelCipher;
  readonly #conversation: Conversation;
  readonly #peers: Peers;
  readonly #outbox: Outbox;
  readonly #actions: InboxActions;
  readonly #seenNonces = new Set<string>();
  readonly #answered = new Set<string>();

  constructor(
    cipher: ChannelCipher,
    conversation: Conversation,
    peers: Peers,
    outbox: Outbox,
    actions: InboxActions,
  ) {
    this.#cipher = cipher;
    this.#conversation = conversation;
    this.#peers = peers;
    this.#outbox = outbox;
    this.#actions = actions;
  }

  async take(event: WireEvent, seat: Membership): Promise<void> {
    if (event.type === 'system') {
      this.#conversation.note(endingInWords(event.reason), 'warn', event.timestamp);
      return;
    }
    if (event.type === 'message') {
      if (event.from === seat.name) this.#outbox.confirm(event.text);
      else await this.#open(event, seat);
      return;
    }
    if (event.from === seat.name) return;
    if (event.type === 'join') {
      this.#peers.add(event.from);
      this.#conversation.note(`${event.from} joined`, 'soft', event.timestamp);
      this.#actions.arrived();
    } else {
      this.#peers.remove(event.from);
      this.#conversation.note(`${event.from} left`, 'soft', event.timestamp);
    }
  }

  /** A sleeping channel was joined anew: the same people will say the same hello again. */
  forgetAnswers(): void {
    this.#answered.clear();
  }

  async #open(event: MessageEvent, seat: Membership): Promise<void> {
    const { from, text, timestamp } = event;
    const opened = await this.#cipher.open(from, text);
    if (opened === undefined) {
      const why = 'It was sealed with another key, or changed on the way.';
      return this.#conversation.note(`A message from ${from} could not be opened. ${why}`, 'warn', timestamp);
    }
    const nonce = text.slice(0, NONCE_CHARACTERS);
    if (this.#seenNonces.has(nonce)) {
      return this.#conversation.note(`A repeated message from ${from} was left out.`, 'soft', timestamp);
    }
    this.#seenNonces.add(nonce);
    this.#learnFrom(from);
    this.#understand(event, opened.envelope, seat);
  }

  #understand({ from, timestamp }: MessageEvent, envelope: JsonObject, seat: Membership): void {
    const content = classify(envelope);
    switch (content.kind) {
      case 'hello':
        this.#peers.learn(from, { kind: content.human ? 'human' : 'agent' });
        if (this.#answered.has(`${from}\n${content.challenge}`)) return;
        this.#answered.add(`${from}\n${content.challenge}`);
        this.#actions.answer({ ...welcomeEnvelope(content.challenge, from), human: true });
        return;
      case 'welcome':
        if (content.to !== seat.name || content.challenge !== seat.challenge) return;
        this.#peers.learn(from, { key: 'proved', kind: envelope['human'] === true ? 'human' : 'agent' });
        return;
      case 'text':
        if (content.to !== undefined && content.to !== seat.name) return;
        this.#conversation.hear(from, content.text, timestamp, content.to !== undefined);
        this.#actions.heard(from, content.text);
        return;
      case 'nothing':
    }
  }

  /** What opens was sealed with this key, and was sent by somebody who is there. */
  #learnFrom(from: string): void {
    const known = this.#peers.get(from);
    this.#peers.learn(from, { stale: false, ...(known?.key === 'proved' ? {} : { key: 'same' }) });
  }
}
