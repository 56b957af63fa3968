import type { Conversation, ConversationView } from '../conversation.ts';
import type { Entry, MessageEntry } from '../entry.ts';
import { byId, element } from './dom.ts';
import { follows, lineElement, MessageElement } from './message.ts';
import { dayInWords, isSameDay, refreshTimes } from './moment.ts';

const NEAR_END_PX = 48;
const LONGEST_LOG = 500;
const REFRESH_TIMES_MS = 30_000;

/** The list of entries. Follows the newest while the reader is at the end, and never moves under one who is not. */
export class LogView implements ConversationView {
  readonly #conversation: Conversation;
  readonly #retry: (entry: MessageEntry) => void;
  readonly #log = byId('log', HTMLDivElement);
  readonly #scroll = byId('scroll', HTMLDivElement);
  readonly #newer = byId('newer', HTMLButtonElement);
  readonly #messages = new WeakMap<MessageEntry, MessageElement>();
  #last: Entry | undefined;
  #unseen = 0;
  #atEnd = true;

  constructor(conversation: Conversation, retry: (entry: MessageEntry) => void) {
    this.#conversation = conversation;
    this.#retry = retry;
    conversation.watch(this);
    this.cleared();
    this.#newer.addEventListener('click', () => this.toEnd());
    this.#scroll.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    // The keyboard of a phone or a growing composer takes room away: the newest message stays in sight.
    new ResizeObserver(() => this.#atEnd && this.toEnd()).observe(this.#scroll);
    setInterval(() => refreshTimes(this.#log), REFRESH_TIMES_MS);
  }

  added(entry: Entry): void {
    this.#append(entry);
    if (this.#atEnd || (entry.kind === 'message' && entry.own)) return this.toEnd();
    if (entry.kind === 'message') this.#countUnseen(this.#unseen + 1);
  }

  changed(entry: MessageEntry): void {
    this.#messages.get(entry)?.refresh();
    if (this.#atEnd) this.toEnd();
  }

  cleared(): void {
    this.#log.replaceChildren();
    this.#last = undefined;
    for (const entry of this.#conversation.entries) this.#append(entry);
    this.toEnd();
  }

  toEnd(): void {
    this.#atEnd = true;
    this.#countUnseen(0);
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  #append(entry: Entry): void {
    const now = Date.now();
    const isNewDay = !isSameDay(entry.at, this.#last?.at ?? now);
    if (isNewDay) this.#log.append(element('p', 'system day', dayInWords(entry.at, now)));
    if (entry.kind === 'line') {
      this.#log.append(lineElement(entry));
    } else {
      const message = new MessageElement(entry, !isNewDay && follows(entry, this.#last), this.#retry);
      this.#messages.set(entry, message);
      this.#log.append(message.element);
    }
    this.#last = entry;
    // Trimmed only where nobody is looking.
    while (this.#atEnd && this.#log.childElementCount > LONGEST_LOG) this.#log.firstElementChild?.remove();
  }

  #scrolled(): void {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroll;
    this.#atEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    if (this.#atEnd) this.#countUnseen(0);
  }

  #countUnseen(count: number): void {
    this.#unseen = count;
    this.#newer.hidden = count === 0;
    this.#newer.textContent = `${count} new`;
  }
}
