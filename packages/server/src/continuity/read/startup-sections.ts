import { UPCOMING_WINDOW_HOURS } from '@parley/protocol/schedule/limits';
import type { Caller } from '../../wire/caller.ts';
import type { Subject } from '../capsule/subject.ts';

/** What other modules add to a startup read, in this order. */
export interface StartupExtras {
  readonly graph_summary: unknown;
  readonly schedule_context: unknown;
}

export type SectionMaker = (caller: Caller, subject: Subject) => Promise<unknown>;

/** Whom a reminder may be about. Its id is taken as it is spelled. */
export type ScheduleScope = Pick<Subject, 'kind' | 'id'>;
export type ScheduleMaker = (caller: Caller, scopes: readonly ScheduleScope[]) => Promise<object>;

/**
 * The parts of a startup read that are not about the capsule. Each belongs to a module that says here how to make it;
 * until then, and when making it fails, it is empty: their trouble is never the reader's.
 */
export class StartupSections {
  #graph: SectionMaker | undefined;
  #schedule: ScheduleMaker | undefined;
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  provideGraph(make: SectionMaker): void {
    this.#graph = make;
  }

  provideSchedule(make: ScheduleMaker): void {
    this.#schedule = make;
  }

  async of(caller: Caller, subject: Subject): Promise<StartupExtras> {
    const [graph, schedule] = await Promise.all([
      this.#made(null, async () => await this.#graph?.(caller, subject)),
      this.schedule(caller, [subject]),
    ]);
    return { graph_summary: graph, schedule_context: schedule };
  }

  /** What was to be remembered about any of the scopes, now or soon. */
  async schedule(caller: Caller, scopes: readonly ScheduleScope[]): Promise<object> {
    return await this.#made(NO_SCHEDULE, async () => await this.#schedule?.(caller, scopes));
  }

  async #made<Made>(empty: Made, make: () => Promise<Made | undefined>): Promise<Made> {
    try {
      return (await make()) ?? empty;
    } catch (error) {
      this.#onError(error);
      return empty;
    }
  }
}

const NO_SCHEDULE: object = {
  due: { items: [], count: 0, truncated: false },
  upcoming: { window_hours: UPCOMING_WINDOW_HOURS.usual, items: [], count: 0, truncated: false },
  warnings: [],
};
