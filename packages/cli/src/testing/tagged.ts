import { Page } from '../memory/page.ts';

const TAGS: Readonly<Record<string, string>> = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow' };

/** What a view makes, on a wide terminal with the name of each style around its text, or in a pipe. */
export function viewed(view: (page: Page) => void, piped = false): string {
  const style = (name: string, text: string): string => (piped || text === '' ? text : `<${name}>${text}</>`);
  const page = new Page({ columns: 240, piped, style });
  view(page);
  return [page.toString(), ...page.asides.map((each) => `beside: ${each}`)].join('\n');
}

/** The same of what a command printed in colours. */
export function tagged(printed: string): string {
  const [first = '', ...rest] = printed.split('\u001b[');
  const marked = rest.map((part) => {
    const [code = '', ...text] = part.split('m');
    return (code in TAGS ? `<${TAGS[code]}>` : '</>') + text.join('m');
  });
  return first + marked.join('');
}
