import type { CueAnswer, ExecutionAnswer } from '@parley/protocol/delivery/types';
import type { Page, Styled } from '../memory/page.ts';
import { type Column, showTable } from '../memory/table.ts';
import { moment, shortTime } from '../memory/words.ts';
import type { Style } from '../memory/terminal.ts';
import { wallTime } from '../when.ts';

const CUE_COLUMNS: readonly Column[] = [
  { title: 'CUE', rank: 0 },
  { title: 'NAME', rank: 1, least: 12 },
  { title: 'STATUS', rank: 2 },
  { title: 'WHEN', rank: 4, least: 16 },
  { title: 'NEXT RUN', rank: 3 },
  { title: 'TO', rank: 5 },
];

export function showCues(page: Page, cues: readonly CueAnswer[]): void {
  if (cues.length === 0) {
    page.aside('No cues.');
    return;
  }
  showTable(
    page,
    CUE_COLUMNS,
    cues.map((cue) => ({
      cells: [
        { text: cue.id },
        { text: cue.name },
        { text: cue.status, style: STYLES[cue.status] },
        { text: scheduleOf(cue) },
        { ...moment(cue.next_run), text: shownNext(cue) },
        { text: targetOf(cue) },
      ],
    })),
  );
}

/** All a person wants to know of one cue. */
export function showCue(page: Page, cue: CueAnswer): void {
  page.line([{ text: cue.id }, { text: `  ${cue.name}`, style: 'bold' }]);
  if (cue.description) page.text({ text: cue.description }, 2);
  const facts: [string, Styled][] = [
    ['Status', { text: cue.status, style: STYLES[cue.status] }],
    ['When', { text: scheduleOf(cue) }],
    ['Next run', { text: cue.next_run === null ? 'none' : `${shownNext(cue)} ${cue.schedule.timezone}` }],
    ['Last run', cue.last_run === null ? { text: 'none' } : moment(cue.last_run)],
    ['To', { text: targetOf(cue) }],
    ['Fired', { text: `${cue.fired_count} times` }],
    ['Payload', { text: JSON.stringify(cue.payload) }],
  ];
  for (const [name, value] of facts) page.fact(name, value, 8);
  if (cue.warning !== null) page.item('!', { text: cue.warning, style: 'yellow' });
}

const scheduleOf = ({ schedule: { cron, at, timezone } }: CueAnswer): string =>
  cron === undefined ? `once, ${shortTime(at ?? null)} UTC` : `${cron} (${timezone})`;

/** As the clock in the cue's zone will show it. */
const shownNext = ({ next_run: next, schedule: { timezone } }: CueAnswer): string =>
  next === null ? '' : wallTime(new Date(next), timezone).slice(0, 16);

const targetOf = ({ agent, transport, callback }: CueAnswer): string =>
  agent ?? (transport === 'worker' ? 'workers' : (callback?.url ?? ''));

const EXECUTION_COLUMNS: readonly Column[] = [
  { title: 'EXECUTION', rank: 0 },
  { title: 'SCHEDULED', rank: 1 },
  { title: 'STATUS', rank: 2 },
  { title: 'OUTCOME', rank: 3 },
  { title: 'ROUTE', rank: 5 },
  { title: 'OF', rank: 4 },
];

export function showExecutions(page: Page, executions: readonly ExecutionAnswer[]): void {
  if (executions.length === 0) {
    page.aside('No executions.');
    return;
  }
  showTable(
    page,
    EXECUTION_COLUMNS,
    executions.map((run) => ({ cells: executionCells(run, moment(run.scheduled_for)) })),
  );
}

/** One line for each, as it comes: how long ago that was would soon be wrong. */
export function executionLine(page: Page, run: ExecutionAnswer): void {
  page.entry(executionCells(run, { text: shortTime(run.scheduled_for), raw: run.scheduled_for }));
}

const executionCells = (run: ExecutionAnswer, scheduled: Styled): Styled[] => [
  { text: run.id },
  scheduled,
  { text: run.status, style: STYLES[run.status] },
  { text: run.outcome_state ?? '', style: STYLES[run.outcome_state ?? ''] },
  { text: run.delivery_route ?? '' },
  { text: run.source === 'cue' ? run.cue_id : (run.message_id ?? '') },
];

export function showExecution(page: Page, run: ExecutionAnswer): void {
  page.line([{ text: run.id }, { text: `  ${run.status}`, style: STYLES[run.status] }]);
  page.fact('Of', { text: (run.source === 'cue' ? run.cue_id : run.message_id) ?? '' }, 9);
  page.fact('Because', { text: run.triggered_by }, 9);
  page.fact('Scheduled', moment(run.scheduled_for), 9);
  const facts: [string, string | null][] = [
    ['Route', run.delivery_route],
    ['Attempts', String(run.attempts)],
    ['Worker', run.claimed_by_worker],
    ['Error', run.error_message],
    ['Outcome', run.outcome_state],
    ['Result', run.outcome?.result ?? run.outcome?.error ?? null],
    ['Payload', JSON.stringify(run.payload)],
  ];
  for (const [name, value] of facts) if (value !== null) page.fact(name, { text: value }, 9);
  if (run.routing_trace.length > 0) page.heading('How it was routed');
  for (const { at, step, result, reason } of run.routing_trace) {
    page.item('-', { text: `${at} ${step}: ${result}${reason === null ? '' : ` (${reason})`}` });
  }
}

const STYLES: Readonly<Record<string, Style>> = {
  active: 'green',
  paused: 'yellow',
  success: 'green',
  reported_success: 'green',
  verified_success: 'green',
  failed: 'red',
  missed: 'red',
  outcome_timeout: 'red',
  unknown: 'red',
  reported_failure: 'red',
  verification_failed: 'red',
};
