import { byId, on } from '../dom.ts';

export interface GateField {
  readonly form: HTMLFormElement;
  readonly input: HTMLInputElement;
  readonly error: HTMLElement;
  readonly button: HTMLButtonElement;
  /** What the button says, and what it says while the answer is awaited. */
  readonly words: readonly [string, string];
}

/** The card that stands before a conversation, with one question to answer. */
export class GateCard {
  readonly #gate = byId('gate');
  readonly #title = byId('gate-title');
  readonly #text = byId('gate-text');
  readonly #facts = byId('gate-facts');
  readonly #field: GateField;

  /** `answer` is given what was typed; it returns what is wrong with it, in words, or nothing. */
  constructor(field: GateField, answer: (typed: string) => string) {
    this.#field = field;
    on(field.form, 'submit', (event) => {
      event.preventDefault();
      const complaint = answer(field.input.value);
      if (complaint !== '') this.complain(complaint);
    });
  }

  get isAsking(): boolean {
    return !this.#field.form.hidden;
  }

  ask(title: string, text: string): void {
    this.tell(title, text);
    this.busy(false);
    this.#field.error.hidden = true;
    this.#showQuestion(true);
    this.#gate.hidden = false;
    this.#field.input.focus();
  }

  /** Only the words; the question, if there is one, stays. */
  tell(title: string, text: string): void {
    this.#title.textContent = title;
    this.#text.textContent = text;
  }

  refuse(title: string, text: string): void {
    this.busy(false);
    this.#showQuestion(false);
    this.tell(title, text);
  }

  busy(isBusy: boolean): void {
    const { button, words } = this.#field;
    if (isBusy) this.#mark('');
    button.disabled = isBusy;
    button.textContent = words[isBusy ? 1 : 0];
  }

  complain(text: string): void {
    this.busy(false);
    this.#mark(text);
    this.#field.input.focus();
  }

  close(): void {
    this.#gate.hidden = true;
  }

  #mark(problem: string): void {
    const { error, input } = this.#field;
    error.textContent = problem;
    error.hidden = problem === '';
    input.setAttribute('aria-invalid', String(problem !== ''));
  }

  #showQuestion(isShown: boolean): void {
    this.#field.form.hidden = !isShown;
    this.#facts.hidden = !isShown;
  }
}
