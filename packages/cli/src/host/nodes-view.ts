import { Page } from '../memory/page.ts';
import { type Column, showTable } from '../memory/table.ts';
import { terminalOf } from '../memory/terminal.ts';
import { moment } from '../memory/words.ts';
import { printPage } from '../output.ts';

const COLUMNS: readonly Column[] = [
  { title: 'NODE', rank: 0 },
  { title: 'URL', rank: 1 },
  { title: 'STATE', rank: 2 },
  { title: 'SEEN', rank: 3 },
  { title: 'VERSION', rank: 4 },
  { title: 'STARTED', rank: 5 },
];

export interface ShownNode {
  readonly id: string;
  readonly url: string;
  readonly version: string;
  readonly state: string;
  readonly started: string;
  readonly seen: string;
}

export function showNodes(nodes: readonly ShownNode[]): void {
  const page = new Page(terminalOf(process.stdout, process.env));
  const rows = nodes.map(({ id, url, version, state, started, seen }) => ({
    cells: [{ text: id }, { text: url }, { text: state }, moment(seen), { text: version }, moment(started)],
  }));
  showTable(page, COLUMNS, rows);
  printPage(page);
}
