import { byId, on } from '../shared/dom.ts';
import { placeOf } from './invitation.ts';

/** Copy buttons; without this script the commands can still be selected by hand. */
for (const box of document.querySelectorAll('.copy')) {
  const command = box.querySelector('code');
  const button = box.querySelector('button');
  // The clipboard exists on secure pages only.
  if (command === null || button === null || !window.isSecureContext) continue;
  button.hidden = false;
  on(button, 'click', () => void copy(command.textContent, button));
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  const done = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  button.textContent = done ? 'Copied' : 'Not allowed';
  setTimeout(() => (button.textContent = 'Copy'), 2_000);
}

const form = byId('open', HTMLFormElement);
const field = byId('link', HTMLInputElement);
const complaint = byId('open-error');
form.hidden = false;
on(form, 'submit', (event) => {
  event.preventDefault();
  const { address, problem } = placeOf(field.value, location.origin);
  complaint.textContent = problem;
  complaint.hidden = problem === '';
  if (address === '') field.focus();
  else location.assign(address);
});
