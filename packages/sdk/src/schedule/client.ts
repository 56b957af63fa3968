import type * as answers from '@parley/protocol/schedule/answers';
import type { ScheduleItem } from '@parley/protocol/schedule/item';
import * as routes from '@parley/protocol/schedule/routes';
import type * as sent from '@parley/protocol/schedule/sent';
import { memoryCaller } from '../memory/memory-caller.ts';
import type { CallerOptions, RouteCaller } from '../route-caller.ts';

/** In a URL everything is text; here it has its type. */
export interface SentItemFilter {
  status?: ScheduleItem['status'] | undefined;
  due?: boolean | undefined;
  task_id?: string | undefined;
  thread_id?: string | undefined;
  subject_kind?: ScheduleItem['subject_kind'] | undefined;
  subject_id?: string | undefined;
  include_retired?: boolean | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

/**
 * Reminders and nudges of one owner.
 *
 * ```ts
 * const schedule = new ScheduleClient({ server: 'http://127.0.0.1:7330', key });
 * await schedule.create({ kind: 'reminder', title: 'Check the rollout', due_at: '2030-01-01T00:00:00Z', wake: true });
 * ```
 */
export class ScheduleClient {
  readonly #caller: RouteCaller;

  constructor(options: CallerOptions) {
    this.#caller = memoryCaller(options);
  }

  /** Made once, however often it has to be sent: sending the same again changes nothing. */
  create(item: sent.SentItem): Promise<answers.CreatedItemAnswer> {
    return this.#caller.call(routes.create, { body: item, isRepeatable: true });
  }

  get(scheduleId: string): Promise<answers.ItemAnswer> {
    return this.#caller.call(routes.get, { path: [scheduleId] });
  }

  list(filter: SentItemFilter = {}): Promise<answers.ItemListAnswer> {
    return this.#caller.call(routes.list, { query: filter });
  }

  update(scheduleId: string, change: sent.SentChange): Promise<answers.ChangeAnswer> {
    return this.#caller.call(routes.update, { path: [scheduleId], body: change });
  }

  /** With `status: "done"` it counts as completed. */
  acknowledge(scheduleId: string, ending: sent.SentAcknowledge): Promise<answers.ChangeAnswer> {
    return this.#caller.call(routes.acknowledge, { path: [scheduleId], body: ending });
  }

  retire(scheduleId: string, ending: sent.SentRetire): Promise<answers.ChangeAnswer> {
    return this.#caller.call(routes.retire, { path: [scheduleId], body: ending });
  }
}
