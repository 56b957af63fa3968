import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { Caller } from '../../wire/caller.ts';
import { capsuleGraph } from './capsule-graph.ts';
import type { Subject } from '../capsule/subject.ts';

/** What other modules add to a startup read, in this order. */
export interface StartupExtras {
  readonly graph_summary: unknown;
  readonly schedule_context: unknown;
}

export type SectionMaker = (caller: Caller, subject: Subject) => Promise<unknown>;

/**
 * The parts of a startup read that are not about the capsule. Each belongs to a module that says here how to make it;
 * until then, and when making it fails, it is what the capsule itself says: their trouble is never the reader's.
 */
export class StartupSections {
  #graph: SectionMaker | undefined;
  #schedule: SectionMaker | undefined;
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  provideGraph(make: SectionMaker): void {
    this.#graph = make;
  }

  provideSchedule(make: SectionMaker): void {
    this.#schedule = make;
  }

  async of(caller: Caller, subject: Subject, capsule: Capsule | null): Promise<StartupExtras> {
    const [graph, schedule] = await Promise.all([
      this.#made(this.#graph, caller, subject, () => capsuleGraph(caller, subject, capsule)),
      this.#made(this.#schedule, caller, subject, emptySchedule),
    ]);
    return { graph_summary: graph, schedule_context: schedule };
  }

  async #made(
    make: SectionMaker | undefined,
    caller: Caller,
    subject: Subject,
    alone: () => unknown,
  ): Promise<unknown> {
    if (!make) return alone();
    try {
      return await make(caller, subject);
    } catch (error) {
      this.#onError(error);
      return alone();
    }
  }
}

function emptySchedule(): object {
  return {
    due: { items: [], count: 0, truncated: false },
    upcoming: { window_hours: 72, items: [], count: 0, truncated: false },
    warnings: [],
  };
}
