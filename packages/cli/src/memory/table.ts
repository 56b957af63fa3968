import { columnsOf, padded, wrapped } from './columns.ts';
import { harmlessLine } from '../harmless.ts';
import type { Page, Styled } from './page.ts';

export interface Column {
  readonly title: string;
  /** Columns with a higher number are the first to go when there is no room. */
  readonly rank: number;
  /** May take several lines; then it needs only so many columns. */
  readonly least?: number;
}

export interface Row {
  readonly cells: readonly Styled[];
  /** A path to be copied, under the row. */
  readonly note?: string | undefined;
}

interface Fitted {
  readonly column: Column;
  readonly index: number;
  readonly columns: number;
}

const GAP = 2;

/**
 * A table that is never wider than the terminal: columns of lesser rank are left out, texts are wrapped, nothing is cut.
 * A pipe gets the rows alone, always with all cells.
 */
export function showTable(page: Page, columns: readonly Column[], rows: readonly Row[]): void {
  if (page.terminal.piped) {
    for (const { cells, note } of rows) page.row(note === undefined ? cells : [...cells, { text: note }]);
    return;
  }
  const cells = rows.map((row) => row.cells.map((cell) => ({ ...cell, text: harmlessLine(cell.text) })));
  const fitted = fit(columns, cells, page.terminal.columns);
  showRow(
    page,
    fitted,
    columns.map(({ title }) => ({ text: title, style: 'bold' })),
  );
  for (const [index, row] of rows.entries()) {
    showRow(page, fitted, cells[index] ?? []);
    if (row.note !== undefined) page.line([{ text: '  ' }, { text: row.note, style: 'dim' }]);
  }
}

function fit(columns: readonly Column[], cells: readonly (readonly Styled[])[], room: number): Fitted[] {
  const natural = columns.map((column, index): Fitted => {
    const widest = Math.max(
      columnsOf(column.title),
      ...cells.map((row) => columnsOf(row[index]?.text ?? '')),
    );
    return { column, index, columns: widest };
  });
  // A column nobody has anything to say in would only take room.
  let shown = natural.filter(({ index }) => cells.some((row) => (row[index]?.text ?? '') !== ''));
  while (shown.length > 1 && leastOf(shown) > room) {
    const last = Math.max(...shown.map(({ column }) => column.rank));
    shown = shown.filter(({ column }) => column.rank !== last);
  }
  return narrowed(shown, room);
}

const leastOf = (shown: readonly Fitted[]): number =>
  shown.reduce((sum, { column, columns }) => sum + Math.min(columns, column.least ?? columns), 0) +
  GAP * (shown.length - 1);

/** Takes what is too much from the columns that wrap, first from those that matter least. */
function narrowed(shown: readonly Fitted[], room: number): Fitted[] {
  const fitted = shown.map((each) => ({ ...each }));
  const total = (): number =>
    fitted.reduce((sum, { columns }) => sum + columns, 0) + GAP * (fitted.length - 1);
  for (let excess = total() - room; excess > 0; excess = total() - room) {
    const [yielding] = fitted
      .filter(({ column, columns }) => column.least !== undefined && columns > column.least)
      .toSorted((a, b) => b.column.rank - a.column.rank);
    if (!yielding) break;
    yielding.columns -= 1;
  }
  return fitted.map((each) => ({ ...each, columns: Math.min(each.columns, room) }));
}

function showRow(page: Page, fitted: readonly Fitted[], cells: readonly Styled[]): void {
  const blocks = fitted.map(({ index, columns }) => ({
    lines: cellLines(cells[index]?.text ?? '', columns),
    columns,
    style: cells[index]?.style,
  }));
  const height = Math.max(...blocks.map(({ lines }) => lines.length));
  for (let line = 0; line < height; line += 1) {
    page.line(
      blocks.map(({ lines, columns, style }, place) => {
        const text = lines[line] ?? '';
        return { text: place === blocks.length - 1 ? text : padded(text, columns + GAP), style };
      }),
    );
  }
}

/** Further lines of a cell are set in, so that none can pass for a row of its own. */
function cellLines(text: string, columns: number): string[] {
  if (columnsOf(text) <= columns) return [text];
  return wrapped(text, columns - 1).map((line, index) => (index === 0 ? line : ` ${line}`));
}
