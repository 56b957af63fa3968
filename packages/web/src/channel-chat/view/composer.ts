import { buttonById, byId, on } from '../../shared/dom.ts';

export const LONGEST_MESSAGE = 8_000;
const COUNT_FROM = 7_000;
const HINT = 'Enter sends, Shift+Enter starts a new line.';

export class Composer {
  readonly #form = byId('composer', HTMLFormElement);
  readonly #text = byId('text', HTMLTextAreaElement);
  readonly #send = buttonById('send');
  readonly #note = byId('composer-note');
  readonly #to = byId('to', HTMLSelectElement);
  readonly #submit: (text: string, to: string) => void;
  #reason = '';

  constructor(submit: (text: string, to: string) => void) {
    this.#submit = submit;
    on(this.#form, 'submit', (event) => {
      event.preventDefault();
      this.#trySend();
    });
    for (const field of [this.#text, this.#to]) on(field, 'input', () => this.#changed());
    on(this.#text, 'keydown', (event) => {
      // While an input method composes, Enter picks a word.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#trySend();
    });
    this.#changed();
  }

  /** Says why one cannot write now; an empty reason opens the composer again. Half-written words stay. */
  disable(reason: string): void {
    this.#reason = reason;
    this.#text.disabled = reason !== '';
    this.#changed();
  }

  /** Who may be addressed. One who was chosen and left stays chosen: it must not turn into a word to everyone. */
  offer(names: readonly string[]): void {
    const chosen = this.#to.value;
    const all = chosen === '' || names.includes(chosen) ? names : [...names, chosen];
    const options = all.map((name) => new Option(names.includes(name) ? name : `${name}, who left`, name));
    this.#to.replaceChildren(new Option('everyone', ''), ...options);
    this.#to.value = chosen;
    byId('to-label').hidden = all.length < 2 && chosen === '';
  }

  /** For one who only reads there is nothing to write with. */
  show(isShown: boolean): void {
    this.#form.hidden = !isShown;
    byId('reader-foot').hidden = isShown;
  }

  focus(): void {
    this.#text.focus({ preventScroll: true });
  }

  #trySend(): void {
    const text = this.#text.value.trim();
    if (text === '' || text.length > LONGEST_MESSAGE || this.#reason !== '') return;
    this.#text.value = '';
    this.#changed();
    this.#submit(text, this.#to.value);
  }

  #changed(): void {
    const { length } = this.#text.value.trim();
    const isTooLong = length > LONGEST_MESSAGE;
    this.#send.disabled = this.#reason !== '' || length === 0 || isTooLong;
    this.#text.setAttribute('aria-invalid', String(isTooLong));
    this.#note.classList.toggle(
      'telling',
      this.#reason !== '' || length > COUNT_FROM || this.#to.value !== '',
    );
    this.#note.classList.toggle('danger', isTooLong);
    this.#note.textContent = this.#reason || lengthNote(length) || addressNote(this.#to.value) || HINT;
    this.#fit();
  }

  #fit(): void {
    this.#text.style.height = 'auto';
    this.#text.style.height = `${this.#text.scrollHeight + 2}px`;
  }
}

function addressNote(to: string): string {
  return to === '' ? '' : `Everyone here can read it; only ${to} is asked to act on it.`;
}

function lengthNote(length: number): string {
  if (length <= COUNT_FROM) return '';
  const count = `${length.toLocaleString('en')} of ${LONGEST_MESSAGE.toLocaleString('en')} characters.`;
  return length > LONGEST_MESSAGE ? `${count} Shorten it to send.` : count;
}
