import { button, element } from '../../shared/dom.ts';
import { messageElement } from '../../shared/conversation/message-element.ts';
import { voiceClass } from '../../shared/conversation/voice.ts';
import type { MessageEntry } from '../entry.ts';

/** A message with its way to the server, when it is the person's own. */
export class MessageElement {
  readonly element: HTMLElement;
  readonly #entry: MessageEntry;
  readonly #state = element('p', 'state');
  readonly #retry: (entry: MessageEntry) => void;

  constructor(entry: MessageEntry, isFollowing: boolean, retry: (entry: MessageEntry) => void) {
    this.#entry = entry;
    this.#retry = retry;
    const { own, from, at, text, aside, to } = entry;
    this.element = messageElement({
      who: own ? 'You' : from,
      at,
      text,
      look: own ? 'own' : voiceClass(from),
      isFollowing,
      notes: to === '' ? [] : [element('span', 'aside', aside ? 'addressed to you' : `a DM to ${to}`)],
    });
    this.element.append(this.#state);
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
