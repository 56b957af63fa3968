import type { Attention } from '../attention.ts';
import type { Transcript } from '../transcript.ts';
import { buttonById, byId, on } from '../../shared/dom.ts';

export interface OptionActions {
  clear(): void;
  leave(): void;
}

/** What the person may choose: sound, notifications, clearing their copy, leaving. */
export function offerOptions(attention: Attention, transcript: Transcript, actions: OptionActions): void {
  const note = byId('option-note');
  const sound = byId('sound', HTMLInputElement);
  const notify = byId('notify', HTMLInputElement);
  const clear = buttonById('clear');

  on(buttonById('leave'), 'click', () => actions.leave());
  byId('notify-option').hidden = !('Notification' in window);
  on(sound, 'change', () => attention.enableSound(sound.checked));
  on(notify, 'change', () => void allowNotifications());
  on(clear, 'click', () => {
    actions.clear();
    note.textContent = 'Cleared on this device. New messages are kept from here on.';
  });
  if (!transcript.available) {
    clear.hidden = true;
    byId('kept').textContent = 'This browser keeps nothing: a reload will start with an empty page.';
  }

  async function allowNotifications(): Promise<void> {
    note.textContent = await attention.enableNotifications(notify.checked);
    notify.checked = attention.notifyOn;
  }
}
