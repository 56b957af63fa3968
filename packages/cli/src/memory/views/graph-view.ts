import type { GraphSection } from '@parley/protocol/continuity/startup-answer';
import { columnsOf, padded } from '../columns.ts';
import type { Page } from '../page.ts';

/**
 * What is linked to a subject, one step away. A terminal gets a tree with the arrows aligned, a pipe one row for each link:
 * what it is, from where, to where.
 */
export function showGraph(page: Page, { anchor, edges, truncation, warnings }: GraphSection): void {
  if (page.terminal.piped) {
    for (const { relationship, source_id: source, target_id: target } of edges) {
      page.row([{ text: relationship }, { text: source }, { text: target }]);
    }
  } else if (anchor) drawTree(page, anchor.id, edges);
  for (const [name, { available, returned, truncated }] of Object.entries(truncation)) {
    if (truncated) page.aside(`${returned} of ${available} ${name.replaceAll('_', ' ')}`, 'dim');
  }
  for (const { code, message, details } of warnings) {
    if (code !== 'graph_truncated') page.aside(`! ${message}${shownDetails(details)}`, 'yellow');
  }
}

function drawTree(page: Page, from: string, edges: GraphSection['edges']): void {
  page.line([{ text: from, style: 'bold' }]);
  if (edges.length === 0) page.text({ text: 'nothing is linked to it', style: 'dim' }, 3);
  const width = Math.max(...edges.map(({ relationship }) => columnsOf(relationship)));
  for (const [index, { relationship, source_id: source, target_id: target }] of edges.entries()) {
    const isLast = index === edges.length - 1;
    const leads = source === from;
    page.line([
      { text: isLast ? '└─ ' : '├─ ', style: 'dim' },
      { text: `${padded(relationship, width)} ` },
      { text: leads ? '→ ' : '← ', style: 'dim' },
      { text: leads ? target : source, style: 'cyan' },
    ]);
  }
}

function shownDetails(details: Readonly<Record<string, unknown>>): string {
  const told = Object.values(details).filter(
    (value) => typeof value === 'string' || typeof value === 'number',
  );
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}
