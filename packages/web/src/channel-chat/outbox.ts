import { textEnvelope } from '@parley/protocol/channels/content';
import type { Conversation } from './conversation.ts';
import type { MessageEntry } from './entry.ts';
import type { Letter, SealedSender } from './sealed-sender.ts';
import { sendProblemInWords } from './words.ts';

/** The person's own messages until they have arrived: shows on each what became of it, and can try again. */
export class Outbox {
  readonly #conversation: Conversation;
  readonly #sender: () => SealedSender | null;
  readonly #letters = new Map<MessageEntry, Letter>();

  constructor(conversation: Conversation, sender: () => SealedSender | null) {
    this.#conversation = conversation;
    this.#sender = sender;
  }

  async submit(entry: MessageEntry): Promise<void> {
    const sender = this.#sender();
    if (sender === null) return this.#conversation.mark(entry, 'failed', 'Not sent: you are not connected.');
    this.#conversation.mark(entry, 'sending');
    try {
      await sender.send(this.#letterOf(entry));
      this.#conversation.mark(entry, 'sent');
    } catch (error) {
      if (this.#letters.has(entry)) this.#conversation.mark(entry, 'failed', sendProblemInWords(error));
    }
  }

  /** An own message came back from the server: it arrived, whatever became of the answer to it. */
  confirm(blob: string, index: number): void {
    for (const [entry, letter] of this.#letters) {
      if (letter.sealed?.blob !== blob) continue;
      this.#letters.delete(entry);
      entry.index = index;
      this.#conversation.mark(entry, 'sent');
    }
  }

  #letterOf(entry: MessageEntry): Letter {
    const known = this.#letters.get(entry);
    if (known !== undefined) return known;
    const envelope = textEnvelope(entry.text, entry.to === '' ? undefined : entry.to);
    const letter: Letter = { envelope, clientId: entry.id, sealed: null };
    this.#letters.set(entry, letter);
    return letter;
  }
}
