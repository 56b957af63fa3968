import { byId } from './dom.ts';

/** On narrow screens the panel opens and closes with a button; on wide ones it is always there. */
export function panelButton(): HTMLButtonElement {
  const panel = byId('panel', HTMLElement);
  const pressed = byId('panel-button', HTMLButtonElement);
  pressed.addEventListener('click', () => {
    pressed.setAttribute('aria-expanded', String(panel.classList.toggle('open')));
  });
  return pressed;
}
