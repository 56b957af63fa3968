import { type Block, blocksOf } from './rich-text.ts';
import { button, element } from './dom.ts';

export function richText(text: string): HTMLElement {
  const body = element('div', 'text', ...blocksOf(text).map(blockElement));
  body.dir = 'auto';
  return body;
}

function blockElement(block: Block): HTMLElement {
  if (block.kind === 'code') return codeElement(block.language, block.text);
  const spans = block.spans.map((span) => (span.code ? element('code', '', span.text) : span.text));
  const paragraph = element('p', '', ...spans);
  paragraph.dir = 'auto';
  return paragraph;
}

function codeElement(language: string, text: string): HTMLElement {
  const copy = button('Copy', () => void copyText(text, copy));
  copy.setAttribute('aria-label', 'Copy this code');
  const head = element('div', 'code-head', element('span', '', language === '' ? 'code' : language), copy);
  const pre = element('pre', '', element('code', '', text));
  // Wide code scrolls inside its own box; the keyboard must be able to reach it.
  pre.tabIndex = 0;
  pre.dir = 'ltr';
  return element('div', 'code', head, pre);
}

async function copyText(text: string, pressed: HTMLButtonElement): Promise<void> {
  const done = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  pressed.textContent = done ? 'Copied' : 'Not allowed';
  setTimeout(() => (pressed.textContent = 'Copy'), 2_000);
}
