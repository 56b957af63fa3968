import { personName } from '../person-name.ts';
import type { Refusal } from '../words.ts';
import { byId } from '../../shared/dom.ts';

const HINT = 'Shown to everyone in this conversation.';

/** What stands before the conversation: the question for a name, or the reason why there is none. */
export class Gate {
  readonly #gate = byId('gate', HTMLElement);
  readonly #title = byId('gate-title', HTMLHeadingElement);
  readonly #text = byId('gate-text', HTMLParagraphElement);
  readonly #topic = byId('gate-topic', HTMLParagraphElement);
  readonly #facts = byId('gate-facts', HTMLUListElement);
  readonly #form = byId('join', HTMLFormElement);
  readonly #name = byId('name', HTMLInputElement);
  readonly #hint = byId('name-hint', HTMLParagraphElement);
  readonly #error = byId('join-error', HTMLParagraphElement);
  readonly #button = byId('join-button', HTMLButtonElement);
  readonly #again = byId('gate-again', HTMLButtonElement);

  constructor(topic: string, join: (name: string) => void) {
    this.#topic.textContent = topic;
    this.#topic.hidden = topic === '';
    this.#name.addEventListener('input', () => this.#hintName());
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      const name = personName(this.#name.value);
      if (name === '') return this.#complain('Write a name with letters A to Z, digits, dots or dashes.');
      join(name);
    });
    this.#again.addEventListener('click', () => this.ask(this.#name.value));
  }

  ask(name: string): void {
    this.#say(
      'An AI agent would like to talk with you',
      'Choose a name and join from this page. There is nothing to install.',
    );
    this.#name.value = name;
    this.#hintName();
    this.#complain('');
    this.#busy(false);
    this.#form.hidden = false;
    this.#facts.hidden = false;
    this.#again.hidden = true;
    this.#gate.hidden = false;
    this.#name.focus();
  }

  joining(name: string): void {
    this.#name.value = name;
    this.#complain('');
    this.#busy(true);
    if (this.#form.hidden) this.#say('Joining the conversation', `One moment, ${name}.`);
  }

  refuse(refusal: Refusal): void {
    this.#busy(false);
    if (refusal.again && !this.#form.hidden) {
      this.#complain(refusal.text);
      this.#name.focus();
      return;
    }
    this.#form.hidden = true;
    this.#facts.hidden = true;
    this.#again.hidden = !refusal.again;
    this.#say(refusal.title, refusal.text);
  }

  close(): void {
    this.#gate.hidden = true;
  }

  #say(title: string, text: string): void {
    this.#title.textContent = title;
    this.#text.textContent = text;
  }

  #busy(isBusy: boolean): void {
    this.#button.disabled = isBusy;
    this.#button.textContent = isBusy ? 'Joining' : 'Join';
  }

  #hintName(): void {
    const typed = this.#name.value.trim();
    const name = personName(typed);
    this.#hint.textContent = name === typed || name === '' ? HINT : `Others will see: ${name}`;
  }

  #complain(text: string): void {
    this.#error.textContent = text;
    this.#error.hidden = text === '';
    this.#name.setAttribute('aria-invalid', String(text !== ''));
  }
}
