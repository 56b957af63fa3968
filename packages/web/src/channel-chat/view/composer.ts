import { byId } from '../../shared/dom.ts';

export const LONGEST_MESSAGE = 8_000;
const COUNT_FROM = 7_000;
const HINT = 'Enter sends, Shift+Enter starts a new line.';

export class Composer {
  readonly #form = byId('composer', HTMLFormElement);
  readonly #text = byId('text', HTMLTextAreaElement);
  readonly #send = byId('send', HTMLButtonElement);
  readonly #note = byId('composer-note', HTMLParagraphElement);
  readonly #submit: (text: string) => void;
  #reason = '';

  constructor(submit: (text: string) => void) {
    this.#submit = submit;
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#trySend();
    });
    this.#text.addEventListener('input', () => this.#changed());
    this.#text.addEventListener('keydown', (event) => {
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

  focus(): void {
    this.#text.focus({ preventScroll: true });
  }

  #trySend(): void {
    const text = this.#text.value.trim();
    if (text === '' || text.length > LONGEST_MESSAGE || this.#reason !== '') return;
    this.#text.value = '';
    this.#changed();
    this.#submit(text);
  }

  #changed(): void {
    const { length } = this.#text.value.trim();
    const isTooLong = length > LONGEST_MESSAGE;
    this.#send.disabled = this.#reason !== '' || length === 0 || isTooLong;
    this.#text.setAttribute('aria-invalid', String(isTooLong));
    this.#note.classList.toggle('telling', this.#reason !== '' || length > COUNT_FROM);
    this.#note.classList.toggle('danger', isTooLong);
    this.#note.textContent = this.#reason || lengthNote(length) || HINT;
    this.#fit();
  }

  #fit(): void {
    this.#text.style.height = 'auto';
    this.#text.style.height = `${this.#text.scrollHeight + 2}px`;
  }
}

function lengthNote(length: number): string {
  if (length <= COUNT_FROM) return '';
  const count = `${length.toLocaleString('en')} of ${LONGEST_MESSAGE.toLocaleString('en')} characters.`;
  return length > LONGEST_MESSAGE ? `${count} Shorten it to send.` : count;
}
