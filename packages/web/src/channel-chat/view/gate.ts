import { buttonById, byId, on } from '../../shared/dom.ts';
import { GateCard } from '../../shared/conversation/gate-card.ts';
import { personName } from '../person-name.ts';
import type { Refusal } from '../words.ts';

const HINT = 'Shown to everyone in this conversation.';

/** What stands before the conversation: the question for a name, or the reason why there is none. */
export class Gate {
  readonly #card: GateCard;
  readonly #topic = byId('gate-topic');
  readonly #name = byId('name', HTMLInputElement);
  readonly #hint = byId('name-hint');
  readonly #again = buttonById('gate-again');

  constructor(topic: string, join: (name: string, isReader: boolean) => void) {
    this.#topic.textContent = topic;
    this.#topic.hidden = topic === '';
    const field = {
      form: byId('join', HTMLFormElement),
      input: this.#name,
      error: byId('join-error'),
      button: buttonById('join-button'),
      words: ['Join', 'Joining'],
    } as const;
    const answer = (typed: string, isReader: boolean) => {
      const name = personName(typed);
      if (name === '') return 'Write a name with letters A to Z, digits, dots or dashes.';
      join(name, isReader);
      return '';
    };
    this.#card = new GateCard(field, (typed) => answer(typed, false));
    on(buttonById('look'), 'click', () => {
      const complaint = answer(this.#name.value, true);
      if (complaint !== '') this.#card.complain(complaint);
    });
    on(this.#name, 'input', () => this.#hintName());
    on(this.#again, 'click', () => this.ask(this.#name.value));
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
