import { element } from '../dom.ts';

/**
 * A link that shows where it leads, whatever it is called. Opens in a new tab and tells that place nothing about this one.
 * An address with a name before an @ pretends to lead elsewhere: it stays text.
 */
export function linkNodes(address: string, label: readonly Node[]): Node[] {
  const url = urlOrNull(address);
  if (url === null || url.username !== '') return [...label];
  const link = element('a', '', ...label);
  link.setAttribute('href', url.href);
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  if (link.textContent === address && address.includes(url.host)) return [link];
  const target = url.href.replace(/^https?:\/\//, '');
  return [link, element('span', 'target', ` (${target.length > 60 ? `${target.slice(0, 59)}…` : target})`)];
}

function urlOrNull(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}
