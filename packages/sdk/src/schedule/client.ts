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

/** `ok` is false where the store could not answer; `warnings` says why, and there is no item. */
export interface ItemAnswer {
  ok: boolean;
  item: ScheduleItem | null;
  warnings: string[];
}

export interface CreateAnswer extends ItemAnswer {
  item: ScheduleItem;
  /** False when the same request made it before. */
  created: boolean;
}

export interface ChangeAnswer extends ItemAnswer {
  item: ScheduleItem;
  updated: boolean;
}

export interface ItemListAnswer {
  ok: boolean;
  count: number;
  total: number;
  limit: number;
  offset: number;
  items: ScheduleItem[];
  warnings: string[];
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

  create(item: sent.SentItem): Promise<CreateAnswer> {
    return this.#caller.call(routes.create, { body: item });
  }

  get(scheduleId: string): Promise<ItemAnswer> {
    return this.#caller.call(routes.get, { path: [scheduleId] });
  }

  list(filter: SentItemFilter = {}): Promise<ItemListAnswer> {
    return this.#caller.call(routes.list, { query: filter });
  }

  update(scheduleId: string, change: sent.SentChange): Promise<ChangeAnswer> {
    return this.#caller.call(routes.update, { path: [scheduleId], body: change });
  }

  /** With `status: "done"` it counts as completed. */
  acknowledge(scheduleId: string, ending: sent.SentAcknowledge): Promise<ChangeAnswer> {
    return this.#caller.call(routes.acknowledge, { path: [scheduleId], body: ending });
  }

  retire(scheduleId: string, ending: sent.SentRetire): Promise<ChangeAnswer> {
    return this.#caller.call(routes.retire, { path: [scheduleId], body: ending });
  }
}
