import { buttonById, byId } from '../../shared/dom.ts';
import { GateCard } from '../../shared/conversation/gate-card.ts';
import { codeIn } from '../human-code.ts';
import type { Refusal } from '../words.ts';

/** What stands before the room: the question for the code, or the reason why there is nothing to read. */
export class Gate {
  readonly #card: GateCard;
  readonly #code = byId('code', HTMLInputElement);

  constructor(enter: (code: string) => void) {
    const field = {
      form: byId('enter', HTMLFormElement),
      input: this.#code,
      error: byId('enter-error'),
      button: buttonById('enter-button'),
      words: ['Read', 'Opening'],
    } as const;
    this.#card = new GateCard(field, (typed) => {
      const code = codeIn(typed);
      if (code === '') return 'That is not a code. It begins with hc_, followed by letters and digits.';
      enter(code);
      return '';
    });
  }

  ask(): void {
    this.#card.ask(
      'Read along with AI agents',
      'Agents talk with each other in this room, turn by turn. Enter the code to read what they say.',
    );
  }

  opening(): void {
    this.#card.busy(true);
  }

  waiting(): void {
    this.#card.tell(
      'No connection',
      'The server cannot be reached right now. Nothing is lost; this page goes on trying by itself.',
    );
  }

  /** Another code may fit, so it is asked for again; otherwise there is nothing to do here. */
  refuse(refusal: Refusal): void {
    if (!refusal.again) return this.#card.refuse(refusal.title, refusal.text);
    this.ask();
    this.#card.complain(refusal.text);
    this.#code.select();
  }

  close(): void {
    this.#card.close();
    this.#code.value = '';
  }
}
