import { columnsOf, padded, wrapped } from './columns.ts';
import { harmless, harmlessLine } from '../harmless.ts';
import type { Style, Terminal } from './terminal.ts';

/** A text with the style it is shown in. */
export interface Styled {
  readonly text: string;
  readonly style?: Style | undefined;
  /** What a program that reads it gets instead, such as a whole time. */
  readonly raw?: string | undefined;
}

/**
 * What is to be shown, line by line. All text goes through here and is made harmless and wrapped before it gets its
 * style, so nothing a capsule says reaches the terminal as it is.
 */
export class Page {
  readonly terminal: Terminal;
  /** What is told beside the rows when a program reads them. */
  readonly asides: string[] = [];
  readonly #lines: string[] = [];

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  /** An empty line, but neither two in a row nor one at the top. */
  gap(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#lines.push('');
  }

  heading(text: string): void {
    this.gap();
    this.text({ text, style: 'bold' });
  }

  text({ text, style }: Styled, indent = 0): void {
    this.item('', { text, style }, indent);
  }

  /** A mark, then a text whose further lines stand under its first; never at the left edge, where our headings are. */
  item(mark: string, { text, style }: Styled, indent = 2): void {
    const start = ' '.repeat(indent) + mark + (mark === '' ? '' : ' ');
    const further = ' '.repeat(columnsOf(start) || 2);
    const room = this.terminal.columns - further.length;
    for (const [index, line] of wrapped(harmless(text), room).entries()) {
      this.#push(this.#styled((index === 0 ? start : further) + line, style));
    }
  }

  /** A name beside what it stands for; in a narrow terminal above it. */
  fact(name: string, { text, raw, style }: Styled, nameColumns: number): void {
    const value = { text: this.terminal.piped ? (raw ?? text) : text, style };
    const label = harmlessLine(name);
    if (this.terminal.columns < nameColumns + 2 + 2 * MEASURE) {
      this.text({ text: name, style: 'dim' }, 2);
      this.text(value, 4);
      return;
    }
    const start = `  ${padded(label, nameColumns)}  `;
    const room = this.terminal.columns - columnsOf(start);
    for (const [index, line] of wrapped(harmless(value.text), room).entries()) {
      const before = index === 0 ? this.#styled(start, 'dim') : ' '.repeat(columnsOf(start));
      this.#push(before + this.#styled(line, value.style));
    }
  }

  /** One line, never broken: of parts that fit, or of something to be copied, which a line end would spoil. */
  line(parts: readonly Styled[]): void {
    this.#push(parts.map(({ text, style }) => this.#styled(harmlessLine(text), style)).join(''));
  }

  /** Words about the rows, such as that there are none or more: for people, never among the rows of a program. */
  aside(text: string, style?: Style): void {
    if (this.terminal.piped) this.asides.push(text);
    else this.text({ text, style });
  }

  /** A row that comes alone, so that nothing can be lined up with it. */
  entry(cells: readonly Styled[]): void {
    if (this.terminal.piped) this.row(cells);
    else this.line(cells.flatMap((cell, at) => (at === 0 ? [cell] : [{ text: '  ' }, cell])));
  }

  /** One row as programs read it. */
  row(cells: readonly Styled[]): void {
    this.#lines.push(cells.map(({ text, raw }) => harmlessLine(raw ?? text)).join('\t'));
  }

  toString(): string {
    return this.#lines.join('\n');
  }

  #styled(text: string, style: Style | undefined): string {
    return style ? this.terminal.style(style, text) : text;
  }

  #push(line: string): void {
    this.#lines.push(line.trimEnd());
  }
}

/** With less room than twice this a text beside its name is hard to read. */
const MEASURE = 16;
