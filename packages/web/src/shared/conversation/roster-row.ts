import { element } from '../dom.ts';

/** One of those who are here: the name in its colour, and what is known about it. */
export function rosterRow(name: string, voice: string, facts: readonly string[]): HTMLElement {
  const who = element('span', 'who', name);
  who.dir = 'auto';
  return element('li', voice, who, element('span', 'what', facts.filter((fact) => fact !== '').join(' · ')));
}
