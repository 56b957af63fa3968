import type { Clock } from '@parley/sdk/channels/clock';
import type { AgentFiles } from '../agent-files.ts';
import type { AgentConfig } from '../daemon-config.ts';
import type { Wake } from '../payload.ts';
import type { ProcessNote } from '../process-note.ts';

/**
 * What came of a run.
 *
 * | outcome  | means                                                        |
 * |----------|--------------------------------------------------------------|
 * | `done`   | the agent came to a good end, or was told                    |
 * | `failed` | it was started and failed; it is not started for this again  |
 * | `again`  | it asks to be started once more, later                       |
 * | `left`   | the daemon ends first; the next one sees what became of it   |
 */
export type Outcome = 'done' | 'failed' | 'again' | 'left';

export interface Run {
  readonly agent: AgentConfig;
  readonly files: AgentFiles;
  readonly wake: Wake;
  /** Of this start alone. */
  readonly runId: string;
  readonly clock: Clock;
  /** The daemon ends. */
  readonly signal: AbortSignal;
  /** The program has been started, or the agent told. */
  readonly invoked: (process?: ProcessNote) => void;
  /** The agent came to a good end, or says that it is at it. */
  readonly resumed: () => void;
}
