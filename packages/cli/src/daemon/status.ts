import { isServing } from '../aya/lock.ts';
import { removeFile, writePrivateText } from '../bridge/kept/private-json.ts';
import { Page, type Styled } from '../memory/page.ts';
import { type Column, type Row, showTable } from '../memory/table.ts';
import { type Style, terminalOf } from '../memory/terminal.ts';
import { moment } from '../memory/words.ts';
import { printJson, printPage, printTold } from '../output.ts';
import { makeFolder } from '../private-folder.ts';
import { AgentFiles, type EndedWake } from './agent-files.ts';
import { readAgents } from './daemon-config.ts';
import { type HomeOption, homeOf, isPaused, lockPath, pausedPath } from './home.ts';
import type { WakeItem } from './wake-item.ts';

const AGENT_COLUMNS: readonly Column[] = [
  { title: 'AGENT', rank: 0 },
  { title: 'ADAPTER', rank: 2 },
  { title: 'SERVER', rank: 4 },
  { title: 'STATE', rank: 1 },
  { title: 'WAKES', rank: 3 },
];

const WAKE_COLUMNS: readonly Column[] = [
  { title: 'WAKE', rank: 0 },
  { title: 'TYPE', rank: 5 },
  { title: 'FROM', rank: 6 },
  { title: 'DELIVERED', rank: 4 },
  { title: 'INVOKED', rank: 2 },
  { title: 'RESUMED', rank: 3 },
  { title: 'OUTCOME', rank: 1, least: 16 },
];

export async function status(options: HomeOption & { readonly wakes?: true }): Promise<void> {
  const home = homeOf(options);
  const serving = await isServing(lockPath(home));
  const paused = isPaused(home);
  const page = new Page(terminalOf(process.stdout, process.env));
  const state: Styled = paused
    ? { text: 'paused', style: 'yellow' }
    : serving
      ? { text: 'runs', style: 'green' }
      : { text: 'does not run', style: 'yellow' };
  const rows: Row[] = [];
  for (const agent of readAgents(home)) {
    const { name, server, adapter } = agent;
    const files = new AgentFiles(home, name);
    const waiting = files.items();
    if (options.json) {
      const told = { name, server, adapter: adapter.type, serving, paused, waiting: waiting.length };
      printJson({ ...told, ...(options.wakes && { wakes: [...waiting, ...files.ended] }) });
      continue;
    }
    const count = { text: `${waiting.length} waiting` };
    rows.push({ cells: [{ text: name }, { text: adapter.type }, { text: server }, state, count] });
    if (!options.wakes) continue;
    showTable(page, AGENT_COLUMNS, rows.splice(0));
    showWakes(page, waiting, files.ended);
  }
  if (options.json) return;
  if (rows.length > 0) showTable(page, AGENT_COLUMNS, rows);
  printPage(page);
}

function showWakes(page: Page, waiting: readonly WakeItem[], ended: readonly EndedWake[]): void {
  const rows = [
    ...waiting.map((item) => {
      const { last_error: error } = item;
      return wakeRow(item, { text: error === undefined ? 'waits' : `waits: ${error}`, style: 'yellow' });
    }),
    ...ended.map((wake) => {
      const { outcome, ended_at: at } = wake;
      return wakeRow(wake, { text: outcome, raw: `${outcome} ${at}`, style: STYLES[outcome] });
    }),
  ];
  if (rows.length > 0) showTable(page, WAKE_COLUMNS, rows);
  if (!page.terminal.piped) page.gap();
}

const STYLES: Readonly<Record<string, Style>> = { done: 'green', failed: 'red', interrupted: 'red' };

function wakeRow(wake: WakeItem | EndedWake, outcome: Styled): Row {
  const { id, type, from, delivered_at, invoked_at, resumed_at } = wake;
  return {
    cells: [
      { text: id, raw: `  ${id}` },
      { text: type },
      { text: from },
      fact('delivered', delivered_at),
      fact('invoked', invoked_at),
      fact('resumed', resumed_at),
      outcome,
    ],
  };
}

/** The three facts of a wake, in their order: to people when, to programs with their names. */
const fact = (word: string, at: string | null | undefined): Styled =>
  at == null
    ? { text: 'no', raw: `not ${word}`, style: 'dim' }
    : { text: moment(at).text, raw: `${word} ${at}` };

/** Stops every start at once, also of a bridge that runs; what comes meanwhile is kept. */
export function pause(options: HomeOption): void {
  const home = homeOf(options);
  makeFolder(home);
  writePrivateText(pausedPath(home), '');
  tell(options, true);
}

export function resume(options: HomeOption): void {
  removeFile(pausedPath(homeOf(options)));
  tell(options, false);
}

function tell({ json }: HomeOption, paused: boolean): void {
  if (json) printJson({ paused });
  else printTold(paused ? 'No agent is started until: parley bridge resume' : 'Agents are started again');
}
