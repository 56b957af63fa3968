import type { Caller } from '../identity/caller.ts';
import type { Subject } from './subject.ts';

/** What other modules add to a startup read, in this order. */
export interface StartupExtras {
  readonly graph_summary: unknown;
  readonly schedule_context: unknown;
}

export type SectionMaker = (caller: Caller, subject: Subject) => Promise<unknown>;

/**
 * The parts of a startup read that are not about the capsule. Each belongs to a module that says here how to make it;
 * until then, and when making it fails, it is the empty form: their trouble is never the reader's.
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

  async of(caller: Caller, subject: Subject): Promise<StartupExtras> {
    const [graph, schedule] = await Promise.all([
      this.#made(this.#graph, caller, subject, () => emptyGraph(subject)),
      this.#made(this.#schedule, caller, subject, emptySchedule),
    ]);
    return { graph_summary: graph, schedule_context: schedule };
  }

  async #made(
    make: SectionMaker | undefined,
    caller: Caller,
    subject: Subject,
    empty: () => unknown,
  ): Promise<unknown> {
    if (!make) return empty();
    try {
      return await make(caller, subject);
    } catch (error) {
      this.#onError(error);
      return empty();
    }
  }
}

const NONE = (limit: number) => ({ limit, available: 0, returned: 0, truncated: false });

function emptyGraph({ kind, id }: Subject): object {
  const linked = kind === 'thread' || kind === 'task';
  return {
    anchor: null,
    nodes: [],
    edges: [],
    related_documents: [],
    blockers: [],
    truncation: { nodes: NONE(12), edges: NONE(16), related_documents: NONE(4), blockers: NONE(4) },
    warnings: [
      linked
        ? {
            code: 'graph_anchor_not_found',
            message: 'The selected graph anchor was not found.',
            details: { anchor_id: `${kind}:${id}`, kind, subject_id: id },
          }
        : {
            code: 'graph_anchor_not_supported',
            message: 'The selected subject kind is not supported as a graph anchor.',
            details: { subject_kind: kind },
          },
    ],
  };
}

function emptySchedule(): object {
  return {
    due: { items: [], count: 0, truncated: false },
    upcoming: { window_hours: 72, items: [], count: 0, truncated: false },
    warnings: [],
  };
}
