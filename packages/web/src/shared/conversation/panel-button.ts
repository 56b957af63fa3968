import { buttonById, byId, on } from '../dom.ts';

/** On narrow screens the panel opens and closes with a button, and closes with Esc; on wide ones it is always there. */
export function panelButton(): HTMLButtonElement {
  const panel = byId('panel');
  const pressed = buttonById('panel-button');
  const show = (isOpen: boolean) => {
    panel.classList.toggle('open', isOpen);
    pressed.setAttribute('aria-expanded', String(isOpen));
  };
  on(pressed, 'click', () => show(!panel.classList.contains('open')));
  on(document, 'keydown', (event) => {
    if (event.key !== 'Escape' || !panel.classList.contains('open')) return;
    show(false);
    if (panel.contains(document.activeElement)) pressed.focus();
  });
  return pressed;
}
