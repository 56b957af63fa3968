import { PROVEN_STAGES } from '@parley/protocol/delivery/vocabulary';
import type { Page } from '../memory/page.ts';
import { type Column, showTable } from '../memory/table.ts';
import { moment } from '../memory/words.ts';
import { shownHere } from '../when.ts';
import type { Message } from './messages.ts';

const COLUMNS: readonly Column[] = [
  { title: 'MESSAGE', rank: 0 },
  { title: 'WHEN', rank: 3 },
  { title: 'WHO', rank: 1 },
  { title: 'STATE', rank: 2 },
  { title: 'SUBJECT', rank: 5, least: 12 },
  { title: 'TEXT', rank: 4, least: 16 },
];

/** `who`: whose name is worth a column, that of the sender in an inbox. */
export function showMessages(
  page: Page,
  messages: readonly Message[],
  who: 'from' | 'to',
  none: string,
): void {
  if (messages.length === 0) return page.aside(none);
  showTable(
    page,
    COLUMNS,
    messages.map((each) => ({
      cells: [
        { text: each.id },
        moment(each.created_at),
        { text: who === 'from' ? each.from.slug : each.to },
        {
          text: who === 'from' ? each.delivery_state : each.proven_stage,
          style: isNew(each) ? 'bold' : undefined,
        },
        { text: each.subject ?? '' },
        { text: each.preview },
      ],
    })),
  );
}

const isNew = ({ read_at: read, acked_at: acked }: Message): boolean => read === null && acked === null;

/** One message, whole. */
export function showMessage(page: Page, message: Message): void {
  page.line([{ text: message.id, style: 'bold' }, { text: `  ${message.delivery_state}` }]);
  page.fact('From', { text: message.from.slug }, 7);
  page.fact('To', { text: message.to }, 7);
  page.fact('Sent', moment(message.created_at), 7);
  const facts: [string, string | null][] = [
    ['Thread', message.thread_id],
    ['Answers', message.reply_to],
    ['Subject', message.subject],
  ];
  for (const [name, text] of facts) if (text !== null) page.fact(name, { text }, 7);
  page.gap();
  page.text({ text: message.body }, 2);
}

/** How far it provably came, stage by stage, and why no further. */
export function showProof(page: Page, message: Message): void {
  page.line([{ text: message.id, style: 'bold' }, { text: `  to ${message.to}` }]);
  const reached = PROVEN_STAGES.indexOf(message.proven_stage);
  const way = PROVEN_STAGES.filter((_stage, at) => at <= reached).join(' → ');
  page.fact('Proven', { text: way, style: 'green' }, 7);
  if (message.proven_stage_reason !== null) page.fact('Because', { text: message.proven_stage_reason }, 7);
  if (message.delivery_route !== null) page.fact('Route', { text: message.delivery_route }, 7);
  if (message.send_at !== null) {
    page.fact('At', { text: `${message.send_at} (here ${shownHere(message.send_at)})` }, 7);
  }
  if (message.delivery_warning !== null) page.item('!', { text: message.delivery_warning, style: 'yellow' });
}
