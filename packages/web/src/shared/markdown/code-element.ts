import { copyText } from '../copy-text.ts';
import { button, element } from '../dom.ts';

/** A code block with a copy button. */
export function codeElement(language: string, text: string): HTMLElement {
  const copy = button('Copy', () => void copyText(text, copy));
  copy.setAttribute('aria-label', 'Copy this code');
  const head = element('div', 'code-head', element('span', '', language === '' ? 'code' : language), copy);
  const pre = element('pre', '', element('code', '', text));
  // Wide code scrolls inside its own box; the keyboard must be able to reach it.
  pre.tabIndex = 0;
  pre.dir = 'ltr';
  return element('div', 'code', head, pre);
}
