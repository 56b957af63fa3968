import type { ScheduleItem } from '@parley/protocol/schedule/item';
import type { RetireItem } from '@parley/protocol/schedule/requests';
import { peerIdOf, requireRead, requireWrite } from '../continuity/access.ts';
import { wholeSeconds } from '../continuity/capsule/instant.ts';
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
import { reading, writing } from './storage-trouble.ts';

const PEER_CHARS = 200;

/** One-shot reminders: what an agent wants to be told of at a time. Every method takes what was sent, and checks it. */
export class ScheduleService {
  readonly #context: ScheduleContext;

  constructor(context: ScheduleContext) {
    this.#context = context;
  }

  async create(caller: Caller, raw: unknown) {
    requireWriter(caller);
    const context = this.#context;
    const request = createFrom(raw);
    const now = context.clock.now();
    const { row, created, warnings } = await writing(context, () =>
      createItem(context, caller, request, now),
    );
    context.audit(caller, 'create', { schedule_id: row.schedule_id, changed: created });
    return { ok: true, created, item: shown(row, now), warnings };
  }

  async get(caller: Caller, id: string): Promise<object> {
    requireRead(caller, STORE_PATH);
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
    requireRead(caller, STORE_PATH);
    return await listItems(this.#context, caller, listFrom(query), this.#context.clock.now());
  }

  async update(caller: Caller, id: string, raw: unknown): Promise<object> {
    requireWriter(caller);
    const scheduleId = requireScheduleId(id);
    const change = changeFrom(raw);
    return await this.#change(caller, 'update', (now) =>
      changeItem(this.#context, caller, scheduleId, change, now),
    );
  }

  async acknowledge(caller: Caller, id: string, raw: unknown): Promise<object> {
    requireWriter(caller);
    const scheduleId = requireScheduleId(id);
    const { status = 'acknowledged', ...rest } = acknowledgeFrom(raw);
    return await this.#end(caller, 'acknowledge', scheduleId, { status, ...endingOf(rest) });
  }

  async retire(caller: Caller, id: string, raw: unknown): Promise<object> {
    requireWriter(caller);
    const scheduleId = requireScheduleId(id);
    return await this.#end(caller, 'retire', scheduleId, { status: 'retired', ...endingOf(retireFrom(raw)) });
  }

  #end(caller: Caller, operation: string, scheduleId: string, ending: Ending): Promise<object> {
    return this.#change(caller, operation, (now) => endItem(this.#context, caller, scheduleId, ending, now));
  }

  async #change(caller: Caller, operation: string, work: (now: number) => Promise<Changed>): Promise<object> {
    const { audit, clock } = this.#context;
    const now = clock.now();
    const { row, updated, warnings } = await writing(this.#context, () => work(now));
    audit(caller, operation, { schedule_id: row.schedule_id, changed: updated });
    return { ok: true, updated, item: shown(row, now), warnings };
  }
}

function requireWriter(caller: Caller): void {
  requireWrite(caller, STORE_PATH);
  const { length } = peerIdOf(caller);
  if (length === 0 || length > PEER_CHARS) throw scheduleTrouble('schedule_actor_invalid');
}

/** A row that was just written or locked. */
function shown(row: ItemRow, now: number): ScheduleItem | null {
  return itemOf(row, wholeSeconds(now)) ?? null;
}

/** A reason of nothing but blanks is none. */
const endingOf = ({
  expected_version: version,
  reason,
}: RetireItem): Pick<Ending, 'reason' | 'expectedVersion'> => ({
  reason: reason == null || reason === '' ? null : reason,
  expectedVersion: version ?? null,
});
