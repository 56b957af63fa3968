import { randomHex } from '@parley/protocol/channels/key';
import type { Entry, LineEntry, MessageEntry, SendState } from './entry.ts';

export interface ConversationView {
  added(entry: Entry): void;
  changed(entry: MessageEntry): void;
  /** All entries are others now. */
  replaced(): void;
}

/** Everything the person sees in the log, in order. The view draws it, the transcript keeps it. */
export class Conversation {
  entries: Entry[];
  readonly #views: ConversationView[] = [];

  constructor(entries: Entry[]) {
    this.entries = entries;
  }

  watch(view: ConversationView): void {
    this.#views.push(view);
  }

  hear(heard: Pick<MessageEntry, 'from' | 'text' | 'at' | 'aside' | 'to' | 'index'>): void {
    this.#add({ kind: 'message', id: newId(), own: false, state: 'sent', problem: '', ...heard });
  }

  say(from: string, text: string, to: string): MessageEntry {
    const entry: MessageEntry = {
      kind: 'message',
      id: newId(),
      from,
      own: true,
      aside: false,
      to,
      text,
      at: Date.now(),
      index: -1,
      state: 'sending',
      problem: '',
    };
    this.#add(entry);
    return entry;
  }

  note(text: string, tone: LineEntry['tone'] = 'soft', at = Date.now()): void {
    this.#add({ kind: 'line', id: newId(), tone, text, at });
  }

  mark(entry: MessageEntry, state: SendState, problem = ''): void {
    entry.state = state;
    entry.problem = problem;
    for (const view of this.#views) view.changed(entry);
  }

  /** What is still on its way stays: clearing the copy must not lose words. */
  clear(): void {
    this.replace(this.entries.filter((entry) => entry.kind === 'message' && entry.state !== 'sent'));
  }

  replace(entries: Entry[]): void {
    this.entries = entries;
    for (const view of this.#views) view.replaced();
  }

  #add(entry: Entry): void {
    this.entries.push(entry);
    for (const view of this.#views) view.added(entry);
  }
}

function newId(): string {
  return randomHex(8);
}
