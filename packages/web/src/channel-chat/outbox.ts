import type { Conversation } from './conversation.ts';
import type { MessageEntry } from './entry.ts';
import { sendProblemInWords } from './words.ts';

export interface Sending {
  readonly sender: string;
  seal(text: string): Promise<string>;
  post(blob: string, clientId: string): Promise<void>;
}

/** Sends one message after the other, in the order they were written. */
export class Outbox {
  readonly #conversation: Conversation;
  readonly #sending: () => Sending | null;
  readonly #sealed = new Map<MessageEntry, { sender: string; blob: string }>();
  #last: Promise<void> = Promise.resolve();

  constructor(conversation: Conversation, sending: () => Sending | null) {
    this.#conversation = conversation;
    this.#sending = sending;
  }

  submit(entry: MessageEntry): Promise<void> {
    this.#conversation.mark(entry, 'sending');
    this.#last = this.#last.then(() => this.#send(entry));
    return this.#last;
  }

  /** An own message came back from the server: it arrived, whatever became of the answer to it. */
  confirm(blob: string): void {
    for (const [entry, sealed] of this.#sealed) if (sealed.blob === blob) this.#arrived(entry);
  }

  async #send(entry: MessageEntry): Promise<void> {
    const sending = this.#sending();
    if (sending === null) return this.#conversation.mark(entry, 'failed', 'Not sent: you are not connected.');
    try {
      const blob = await this.#blobOf(entry, sending);
      await sending.post(blob, entry.id);
      this.#arrived(entry);
    } catch (error) {
      if (entry.state !== 'sent') this.#conversation.mark(entry, 'failed', sendProblemInWords(error));
    }
  }

  /** A retry repeats the very same bytes, so that server and receivers can tell it from a second message. */
  async #blobOf(entry: MessageEntry, sending: Sending): Promise<string> {
    const known = this.#sealed.get(entry);
    if (known?.sender === sending.sender) return known.blob;
    const blob = await sending.seal(entry.text);
    this.#sealed.set(entry, { sender: sending.sender, blob });
    return blob;
  }

  #arrived(entry: MessageEntry): void {
    this.#sealed.delete(entry);
    this.#conversation.mark(entry, 'sent');
  }
}
