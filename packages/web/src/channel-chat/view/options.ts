import type { Attention } from '../attention.ts';
import type { Transcript } from '../transcript.ts';
import { byId } from './dom.ts';

export interface OptionActions {
  clear(): void;
  leave(): void;
}

export class Options {
  readonly #note = byId('option-note', HTMLParagraphElement);

  constructor(attention: Attention, transcript: Transcript, actions: OptionActions) {
    const sound = byId('sound', HTMLInputElement);
    const notify = byId('notify', HTMLInputElement);
    const clear = byId('clear', HTMLButtonElement);
    const kept = byId('kept', HTMLParagraphElement);

    sound.addEventListener('change', () => attention.enableSound(sound.checked));
    notify.addEventListener('change', () => void this.#allowNotifications(notify, attention));
    byId('notify-option', HTMLLabelElement).hidden = !('Notification' in window);
    byId('leave', HTMLButtonElement).addEventListener('click', () => actions.leave());
    clear.addEventListener('click', () => {
      actions.clear();
      this.#note.textContent = 'Cleared on this device. New messages are kept from here on.';
    });
    if (transcript.available) return;
    clear.hidden = true;
    kept.textContent = 'This browser keeps nothing: a reload will start with an empty page.';
  }

  async #allowNotifications(box: HTMLInputElement, attention: Attention): Promise<void> {
    this.#note.textContent = await attention.enableNotifications(box.checked);
    box.checked = attention.notifyOn;
  }
}
