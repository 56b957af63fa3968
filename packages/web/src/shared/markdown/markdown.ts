import { element } from '../dom.ts';
import { codeElement } from './code-element.ts';
import { inlineNodes } from './markdown-inline.ts';

/**
 * What agents mark up, as elements: headings, lists, quotes, tables, rules and code. Built node by node; text only ever
 * becomes text. Peers choose what is written, so nesting and the number of parts are bounded, and no line is read twice:
 * what goes beyond the bounds is shown as it was typed.
 */
const DEEPEST = 6;
const MOST_BLOCKS = 1_500;
const MOST_COLUMNS = 40;

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6}) +(\S.*)$/;
const RULE = /^ {0,3}([-*_])\1\1+ *$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(?: +|$)/;

export function markdown(text: string): HTMLElement {
  return element('div', 'text', ...new Blocks().read(text.split(/\r\n?|\n/), 0));
}

class Blocks {
  #left = MOST_BLOCKS;

  read(lines: readonly string[], depth: number): Node[] {
    const blocks: Node[] = [];
    let prose: string[] = [];
    const endProse = () => {
      const paragraph = prose.join('\n').replace(/^\n+/, '').trimEnd();
      if (paragraph !== '') blocks.push(this.#made('p', ...inlineNodes(paragraph)));
      prose = [];
    };
    for (let at = 0; at < lines.length; ) {
      const read = this.#block(lines, at, depth);
      if (read === null) {
        const line = lines[at++] ?? '';
        if (line.trim() === '' && this.#isOpen(depth)) endProse();
        else prose.push(line);
        continue;
      }
      endProse();
      blocks.push(read.block);
      at = read.next;
    }
    endProse();
    return blocks;
  }

  #isOpen(depth: number): boolean {
    return depth < DEEPEST && this.#left > 0;
  }

  #block(lines: readonly string[], at: number, depth: number): { block: Node; next: number } | null {
    const line = lines[at] ?? '';
    if (!this.#isOpen(depth)) return null;
    const fence = FENCE.exec(line);
    if (fence !== null) return fencedCode(lines, at, fence);
    const [, marks = '', title = ''] = HEADING.exec(line) ?? [];
    if (title !== '') {
      const tag = marks.length === 1 ? 'h3' : marks.length === 2 ? 'h4' : 'h5';
      return { block: this.#made(tag, ...inlineNodes(title)), next: at + 1 };
    }
    if (RULE.test(line)) return { block: element('hr', ''), next: at + 1 };
    if (QUOTE.test(line)) {
      let next = at;
      while (QUOTE.test(lines[next] ?? '')) next += 1;
      const quoted = lines.slice(at, next).map((each) => each.replace(QUOTE, ''));
      return { block: this.#made('blockquote', ...this.read(quoted, depth + 1)), next };
    }
    if (ITEM.test(line)) return this.#list(lines, at, depth);
    return this.#table(lines, at);
  }

  #list(lines: readonly string[], start: number, depth: number) {
    const [, indent = '', mark = ''] = ITEM.exec(lines[start] ?? '') ?? [];
    const isOrdered = /\d/.test(mark);
    const items: string[][] = [];
    let width = 0;
    let next = start;
    for (; next < lines.length && items.length < this.#left; next += 1) {
      const line = lines[next] ?? '';
      const item = ITEM.exec(line);
      const isSibling = item !== null && (item[1] ?? '').length < indent.length + 2;
      if (isSibling) {
        if (/\d/.test(item[2] ?? '') !== isOrdered) break;
        width = item[0].length;
        items.push([line.slice(width)]);
        continue;
      }
      const following = line.trim() === '' ? (lines[next + 1] ?? '') : line;
      const continues =
        following.search(/\S/) > indent.length + 1 || (following !== line && ITEM.test(following));
      if (!continues) break;
      items.at(-1)?.push(line.slice(Math.min(width, Math.max(0, line.search(/\S/)))));
    }
    const rows = items.map((item) => this.#made('li', ...this.read(item, depth + 1)));
    const list = this.#made(isOrdered ? 'ol' : 'ul', ...rows);
    if (list instanceof HTMLOListElement) list.start = Number.parseInt(mark, 10);
    return { block: list, next };
  }

  #table(lines: readonly string[], at: number) {
    const head = cells(lines[at]);
    const sides = cells(lines[at + 1]);
    if (
      head.length < 2 ||
      head.length > MOST_COLUMNS ||
      sides.length !== head.length ||
      !sides.every((side) => /^:?-+:?$/.test(side))
    )
      return null;
    const row = (tag: 'th' | 'td', texts: readonly string[]) => {
      const made = sides.map((side, column) => {
        const cell = this.#made(tag, ...inlineNodes(texts[column] ?? ''));
        if (side.endsWith(':')) cell.style.textAlign = side.startsWith(':') ? 'center' : 'end';
        return cell;
      });
      return element('tr', '', ...made);
    };
    const table = element('table', '', row('th', head));
    let next = at + 2;
    for (; this.#left > 0 && cells(lines[next]).length > 1; next += 1)
      table.append(row('td', cells(lines[next])));
    const box = element('div', 'table', table);
    // Wide tables scroll inside their own box; the keyboard must be able to reach it.
    box.tabIndex = 0;
    return { block: box, next };
  }

  #made<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, ...children: Node[]): HTMLElementTagNameMap[Tag] {
    this.#left -= 1;
    const made = element(tag, '', ...children);
    made.dir = 'auto';
    return made;
  }
}

/** A fence that never closes was probably cut off: its lines are still code. */
function fencedCode(lines: readonly string[], start: number, [, mark = '', info = '']: readonly string[]) {
  let end = start + 1;
  while (end < lines.length && !isClosing(lines[end] ?? '', mark)) end += 1;
  const language = info.trim().split(/\s/)[0]?.slice(0, 24) ?? '';
  return { block: codeElement(language, lines.slice(start + 1, end).join('\n')), next: end + 1 };
}

function isClosing(line: string, mark: string): boolean {
  const closing = line.trim();
  return closing.length >= mark.length && closing === mark.charAt(0).repeat(closing.length);
}

function cells(line = ''): string[] {
  if (!line.includes('|')) return [];
  const row = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return row.split('|').map((cell) => cell.trim());
}
