import { byId } from '../../shared/dom.ts';
import { GateCard } from '../../shared/gate-card.ts';
import { personName } from '../person-name.ts';
import type { Refusal } from '../words.ts';

const HINT = 'Shown to everyone in this conversation.';

/** What stands before the conversation: the question for a name, or the reason why there is none. */
export class Gate {
  readonly #card: GateCard;
  readonly #topic = byId('gate-topic', HTMLParagraphElement);
  readonly #name = byId('name', HTMLInputElement);
  readonly #hint = byId('name-hint', HTMLParagraphElement);
  readonly #again = byId('gate-again', HTMLButtonElement);

  constructor(topic: string, join: (name: string) => void) {
    this.#topic.textContent = topic;
    this.#topic.hidden = topic === '';
    const field = {
      form: byId('join', HTMLFormElement),
      input: this.#name,
      error: byId('join-error', HTMLParagraphElement),
      button: byId('join-button', HTMLButtonElement),
      words: ['Join', 'Joining'],
    } as const;
    this.#card = new GateCard(field, (typed) => {
      const name = personName(typed);
      if (name === '') return 'Write a name with letters A to Z, digits, dots or dashes.';
      join(name);
      return '';
    });
    this.#name.addEventListener('input', () => this.#hintName());
    this.#again.addEventListener('click', () => this.ask(this.#name.value));
  }

  ask(name: string): void {
    this.#name.value = name;
    this.#hintName();
    this.#again.hidden = true;
    this.#card.ask(
      'An AI agent would like to talk with you',
      'Choose a name and join from this page. There is nothing to install.',
    );
  }

  joining(name: string): void {
    this.#name.value = name;
    this.#card.busy(true);
    if (!this.#card.isAsking) this.#card.tell('Joining the conversation', `One moment, ${name}.`);
  }

  refuse(refusal: Refusal): void {
    if (refusal.again && this.#card.isAsking) return this.#card.complain(refusal.text);
    this.#again.hidden = !refusal.again;
    this.#card.refuse(refusal.title, refusal.text);
  }

  close(): void {
    this.#card.close();
  }

  #hintName(): void {
    const typed = this.#name.value.trim();
    const name = personName(typed);
    this.#hint.textContent = name === typed || name === '' ? HINT : `Others will see: ${name}`;
  }
}
