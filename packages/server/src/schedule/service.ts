import * as declared from '@parley/protocol/schedule/routes';
import type { ScheduleItem } from '@parley/protocol/schedule/item';
import { peerIdOf, requireRead, requireScopes, requireWrite } from '../continuity/access.ts';
import { wholeSeconds } from '../continuity/capsule/instant.ts';
import type { ScheduleScope } from '../continuity/read/startup-sections.ts';
import type { Caller } from '../wire/caller.ts';
import { type Changed, changeItem } from './change-item.ts';
import { createItem } from './create-item.ts';
import { endItem, type Ending } from './end-item.ts';
import { scheduleNotFound, scheduleTrouble } from './errors.ts';
import { itemOf } from './item.ts';
import { findItem, type ItemRow } from './item-store.ts';
import { listItems } from './list-items.ts';
import {
  acknowledgeFrom,
  changeFrom,
  createFrom,
  listFrom,
  requireScheduleId,
  retireFrom,
} from './request-check.ts';
import { type ScheduleContext, STORE_PATH } from './schedule-context.ts';
import { scopedItems } from './scoped-items.ts';
import { reading, writing } from './storage-trouble.ts';

const PEER_CHARS = 200;

export interface CreateAnswer {
  readonly ok: true;
  readonly created: boolean;
  readonly item: ScheduleItem | null;
  readonly warnings: readonly string[];
}

/** One-shot reminders: what an agent wants to be told of at a time. Every method takes what was sent, and checks it. */
export class ScheduleService {
  readonly #context: ScheduleContext;

  constructor(context: ScheduleContext) {
    this.#context = context;
  }

  async create(caller: Caller, raw: unknown): Promise<CreateAnswer> {
    const context = this.#writing(caller);
    const request = createFrom(raw);
    const now = context.clock.now();
    const { row, created, warnings } = await writing(context, () =>
      createItem(context, caller, request, now),
    );
    this.#note(caller, 'create', row.schedule_id, created);
    return { ok: true, created, item: shown(row, now), warnings };
  }

  async get(caller: Caller, id: string): Promise<object> {
    this.#requireReader(caller);
    const scheduleId = requireScheduleId(id);
    const { clock, database, stores } = this.#context;
    const now = clock.now();
    return await reading<object>(
      this.#context,
      async () => {
        const warnings = await stores.open(caller.ownerId, now);
        const row = await findItem(database.read, caller.ownerId, scheduleId);
        if (!row) throw scheduleNotFound(scheduleId, warnings);
        const item = itemOf(row, wholeSeconds(now));
        if (item) return { ok: true, item, warnings };
        return { ok: false, item: null, warnings: [...warnings, `schedule_row_invalid:${scheduleId}`] };
      },
      (word) => ({ ok: false, item: null, warnings: [word] }),
    );
  }

  async list(caller: Caller, query: unknown): Promise<object> {
    this.#requireReader(caller);
    return await listItems(this.#context, caller, listFrom(query), this.#context.clock.now());
  }

  async update(caller: Caller, id: string, raw: unknown): Promise<object> {
    const context = this.#writing(caller);
    const scheduleId = requireScheduleId(id);
    const change = changeFrom(raw);
    return await this.#change(caller, 'update', (now) =>
      changeItem(context, caller, scheduleId, change, now),
    );
  }

  async acknowledge(caller: Caller, id: string, raw: unknown): Promise<object> {
    this.#writing(caller);
    const scheduleId = requireScheduleId(id);
    const { status = 'acknowledged', ...rest } = acknowledgeFrom(raw);
    return await this.#end(caller, 'acknowledge', scheduleId, { status, ...endingOf(rest) });
  }

  async retire(caller: Caller, id: string, raw: unknown): Promise<object> {
    this.#writing(caller);
    const scheduleId = requireScheduleId(id);
    return await this.#end(caller, 'retire', scheduleId, { status: 'retired', ...endingOf(retireFrom(raw)) });
  }

  /** What is due about some subjects, and what soon will be: a part of other reads. */
  scoped(caller: Caller, scopes: readonly ScheduleScope[]): Promise<object> {
    return scopedItems(this.#context, caller, scopes);
  }

  #end(caller: Caller, operation: string, scheduleId: string, ending: Ending): Promise<object> {
    return this.#change(caller, operation, (now) => endItem(this.#context, caller, scheduleId, ending, now));
  }

  async #change(caller: Caller, operation: string, work: (now: number) => Promise<Changed>): Promise<object> {
    const now = this.#context.clock.now();
    const { row, updated, warnings } = await writing(this.#context, () => work(now));
    this.#note(caller, operation, row.schedule_id, updated);
    return { ok: true, updated, item: shown(row, now), warnings };
  }

  #writing(caller: Caller): ScheduleContext {
    requireScopes(caller, declared.create);
    requireWrite(caller, STORE_PATH);
    const { length } = peerIdOf(caller);
    if (length === 0 || length > PEER_CHARS) throw scheduleTrouble('schedule_actor_invalid');
    return this.#context;
  }

  #requireReader(caller: Caller): void {
    requireScopes(caller, declared.list);
    requireRead(caller, STORE_PATH);
  }

  #note(caller: Caller, operation: string, scheduleId: string, changed: boolean): void {
    this.#context.audit(caller, operation, { schedule_id: scheduleId, changed });
  }
}

/** A row that was just written or locked. */
function shown(row: ItemRow, now: number): ScheduleItem | null {
  return itemOf(row, wholeSeconds(now)) ?? null;
}

/** A reason of nothing but blanks is none. */
const endingOf = ({
  expected_version: version,
  reason,
}: {
  expected_version?: number | null | undefined;
  reason?: string | null | undefined;
}): Pick<Ending, 'reason' | 'expectedVersion'> => ({
  reason: reason == null || reason === '' ? null : reason,
  expectedVersion: version ?? null,
});
