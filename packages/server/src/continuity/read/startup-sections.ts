import { UPCOMING_WINDOW_HOURS } from '@parley/protocol/schedule/limits';
import type { Caller } from '../../wire/caller.ts';
import type { NamedSubject, Subject } from '../capsule/subject.ts';

/**
 * The parts of a startup read that are not about the capsule. Each belongs to a module that says here how to make it;
 * until then, and when making it fails, it is empty: their trouble is never the reader's.
 */
export class StartupSections {
  graphOf: ((caller: Caller, subject: Subject) => Promise<unknown>) | undefined;
  scheduleOf: ((caller: Caller, about: readonly NamedSubject[]) => Promise<object>) | undefined;
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  async of(caller: Caller, subject: Subject) {
    const [graph, schedule] = await Promise.all([
      this.#made(null, async () => await this.graphOf?.(caller, subject)),
      this.schedule(caller, [subject]),
    ]);
    return { graph_summary: graph, schedule_context: schedule };
  }

  /** What was to be remembered about any of some subjects, now or soon. */
  async schedule(caller: Caller, about: readonly NamedSubject[]): Promise<object> {
    return await this.#made(NO_SCHEDULE, async () => await this.scheduleOf?.(caller, about));
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
