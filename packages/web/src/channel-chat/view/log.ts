import { type LogItem, LogList } from '../../shared/conversation/log-list.ts';
import { lineElement } from '../../shared/conversation/message-element.ts';
import type { Conversation, ConversationView } from '../conversation.ts';
import type { Entry, MessageEntry } from '../entry.ts';
import { MessageElement } from './message.ts';

const LONGEST_LOG = 500;

/** The conversation as the person sees it. */
export class LogView implements ConversationView {
  readonly #conversation: Conversation;
  readonly #retry: (entry: MessageEntry) => void;
  readonly #list = new LogList(LONGEST_LOG);
  readonly #messages = new WeakMap<MessageEntry, MessageElement>();

  constructor(conversation: Conversation, retry: (entry: MessageEntry) => void) {
    this.#conversation = conversation;
    this.#retry = retry;
    conversation.watch(this);
    this.replaced();
  }

  added(entry: Entry): void {
    this.#list.add(this.#item(entry));
    if (entry.kind === 'message' && entry.own) this.toEnd();
  }

  changed(entry: MessageEntry): void {
    this.#messages.get(entry)?.refresh();
    this.#list.keepEnd();
  }

  replaced(): void {
    this.#list.fill(this.#conversation.entries.map((entry) => this.#item(entry)));
  }

  toEnd(): void {
    this.#list.toEnd();
  }

  #item(entry: Entry): LogItem {
    const { at } = entry;
    if (entry.kind === 'line')
      return { at, speaker: null, draw: () => lineElement(entry.text, at, entry.tone) };
    return {
      at,
      speaker: `${entry.own} ${entry.to} ${entry.from}`,
      draw: (isFollowing) => {
        const message = new MessageElement(entry, isFollowing, this.#retry);
        this.#messages.set(entry, message);
        return message.element;
      },
    };
  }
}
