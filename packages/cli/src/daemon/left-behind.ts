import { endGroup } from './adapters/command.ts';
import type { AgentConfig } from './daemon-config.ts';
import { endRun, findRun, isRunning } from './process-note.ts';
import type { WakeItem } from './wake-item.ts';

/**
 * Whether what a daemon that is gone began may still be at work:
 *
 * | adapter                   | how that is known                                                              |
 * |---------------------------|--------------------------------------------------------------------------------|
 * | `command`, pid noted      | by the process; one that is over its time is ended                             |
 * | `command`, pid not noted  | by its environment; where that is not shown or not there yet, until its time is over |
 * | `http-hook`               | it is not: until its time is over                                              |
 * | others                    | they told somebody, or not: nothing of theirs runs                             |
 */
export function stillRuns(
  item: WakeItem,
  { adapter, timeoutSeconds }: AgentConfig,
  { now, input }: { readonly now: number; readonly input: string },
): boolean {
  const isOver = Date.parse(item.starting_at ?? '') + timeoutSeconds * 1000 <= now;
  if (adapter.type === 'http-hook') return !isOver && item.invoked_at === undefined;
  if (adapter.type !== 'command') return false;
  if (item.process) {
    if (!isRunning(item.process)) return false;
    if (isOver) endGroup(item.process.pid, 'SIGKILL');
    return true;
  }
  const found = findRun(item.run_id ?? '', input);
  if (typeof found !== 'number') return found === 'unknown' && !isOver;
  // A helper that a program left behind counts as its run, too; it must not hold up the wake for ever.
  if (isOver) endRun(found);
  return true;
}
