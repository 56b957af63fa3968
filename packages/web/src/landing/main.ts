import { copyText } from '../shared/copy-text.ts';
import { byId, on } from '../shared/dom.ts';
import { placeOf } from './invitation.ts';

/** Copy buttons; without this script the commands can still be selected by hand. */
for (const box of document.querySelectorAll('.copy')) {
  const command = box.querySelector('code');
  const button = box.querySelector('button');
  // The clipboard exists on secure pages only.
  if (command === null || button === null || !window.isSecureContext) continue;
  button.hidden = false;
  on(button, 'click', () => void copyText(command.textContent, button));
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
