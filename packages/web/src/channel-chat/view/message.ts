import type { Entry, LineEntry, MessageEntry } from '../entry.ts';
import { button, element } from './dom.ts';
import { timeElement } from './moment.ts';
import { richText } from './rich-text.ts';
import { voiceClass } from './voice.ts';

const GROUP_WITHIN_MS = 2 * 60_000;

export function follows(entry: MessageEntry, before: Entry | undefined): boolean {
  if (before?.kind !== 'message' || before.aside !== entry.aside) return false;
  return before.from === entry.from && before.own === entry.own && entry.at - before.at < GROUP_WITHIN_MS;
}

export function lineElement(line: LineEntry): HTMLElement {
  const tones = { soft: 'system', warn: 'system notice', danger: 'system notice danger' };
  const made = element('p', tones[line.tone], line.text);
  made.dir = 'auto';
  made.title = new Date(line.at).toLocaleString();
  return made;
}

export class MessageElement {
  readonly element: HTMLElement;
  readonly #entry: MessageEntry;
  readonly #state = element('p', 'state');
  readonly #retry: (entry: MessageEntry) => void;

  constructor(entry: MessageEntry, isFollowing: boolean, retry: (entry: MessageEntry) => void) {
    this.#entry = entry;
    this.#retry = retry;
    const who = element('span', 'who', entry.own ? 'You' : entry.from);
    who.dir = 'auto';
    const meta = element('p', 'meta', who, timeElement(entry.at));
    if (entry.aside) meta.append(element('span', 'aside', 'addressed to you'));
    this.element = element(
      'article',
      entry.own ? 'message own' : 'message',
      meta,
      richText(entry.text),
      this.#state,
    );
    if (!entry.own) this.element.classList.add(voiceClass(entry.from));
    if (isFollowing) this.element.classList.add('follows');
    this.refresh();
  }

  refresh(): void {
    const { state, problem } = this.#entry;
    this.element.classList.toggle('failed', state === 'failed');
    this.#state.hidden = state === 'sent';
    this.#state.replaceChildren(state === 'sending' ? 'sending…' : problem);
    if (state === 'failed') this.#state.append(button('Try again', () => this.#retry(this.#entry)));
  }
}
