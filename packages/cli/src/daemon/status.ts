import { mkdirSync, writeFileSync } from 'node:fs';
import { isServing } from '../aya/lock.ts';
import { removeFile } from '../bridge/private-json.ts';
import { harmlessLine } from '../harmless.ts';
import { printJson, printLine, printTold } from '../output.ts';
import { AgentFiles } from './agent-files.ts';
import { readAgents } from './daemon-config.ts';
import { type HomeOption, homeOf, isPaused, lockPath, pausedPath } from './home.ts';

export async function status(options: HomeOption & { readonly wakes?: true }): Promise<void> {
  const home = homeOf(options);
  const serving = await isServing(lockPath(home));
  const paused = isPaused(home);
  for (const agent of readAgents(home)) {
    const files = new AgentFiles(home, agent.name);
    const waiting = files.items();
    const told = { name: agent.name, server: agent.server, adapter: agent.adapter.type, serving, paused };
    if (options.json) {
      printJson({
        ...told,
        waiting: waiting.length,
        ...(options.wakes && { wakes: [...waiting, ...files.ended] }),
      });
      continue;
    }
    const state = paused ? 'paused' : serving ? 'runs' : 'does not run';
    printColumns(agent.name, agent.adapter.type, agent.server, state, `${waiting.length} waiting`);
    if (!options.wakes) continue;
    for (const item of waiting) {
      const { id, type, from, last_error: error } = item;
      printColumns(`  ${id}`, type, from, ...facts(item), error === undefined ? 'waits' : `waits: ${error}`);
    }
    for (const wake of files.ended) {
      printColumns(`  ${wake.id}`, wake.type, wake.from, ...facts(wake), `${wake.outcome} ${wake.ended_at}`);
    }
  }
}

/** The three facts of a wake, in their order. */
function facts(wake: {
  readonly delivered_at: string;
  readonly invoked_at?: string | null;
  readonly resumed_at?: string | null;
}): string[] {
  return [
    `delivered ${wake.delivered_at}`,
    fact('invoked', wake.invoked_at),
    fact('resumed', wake.resumed_at),
  ];
}

const fact = (word: string, at: string | null | undefined): string =>
  at == null ? `not ${word}` : `${word} ${at}`;

const printColumns = (...words: string[]): void => printLine(words.map(harmlessLine).join('\t'));

/** Stops every start at once, also of a bridge that runs; what comes meanwhile is kept. */
export function pause(options: HomeOption): void {
  const home = homeOf(options);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(pausedPath(home), '', { mode: 0o600 });
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
