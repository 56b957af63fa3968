import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { ScheduleItem } from '@parley/protocol/schedule/item';
import type { RetireItem } from '@parley/protocol/schedule/requests';
import { peerIdOf, requireRead, requireWrite } from '../continuity/access.ts';
import type { Caller } from '../wire/caller.ts';
import { type Changed, changeItem } from './change-item.ts';
import { createItem } from './create-item.ts';
import { endItem, type Ending } from './end-item.ts';
import { scheduleNotFound, scheduleTrouble } from './errors.ts';
import { itemOf, readable } from './item.ts';
import { findItem, type ItemRow } from './item-store.ts';
import { pageOfItems } from './list-store.ts';
import {
  acknowledgeFrom,
  changeFrom,
  createFrom,
  listFrom,
  requireScheduleId,
  retireFrom,
} from './request-check.ts';
import { type ItemAction, type ScheduleCall, type ScheduleContext, STORE_PATH } from './schedule-context.ts';
import { reading, writing } from './storage-trouble.ts';

const PEER_CHARS = 200;

/* One-shot reminders: what an agent wants to be told of at a time. Every operation takes what was sent, and checks it. */

export async function create(
  context: ScheduleContext,
  { caller, raw }: Pick<ScheduleCall, 'caller' | 'raw'>,
) {
  requireWriter(caller);
  const request = createFrom(raw);
  const now = context.clock.now();
  const { row, created, warnings } = await writing(context, () => createItem(context, caller, request, now));
  context.audit(caller, 'create', { schedule_id: row.schedule_id, changed: created });
  return { ok: true, created, item: shown(row, now), warnings };
}

export const get: ItemAction = async (context, { caller, params }) => {
  requireRead(caller, STORE_PATH);
  const scheduleId = requireScheduleId(params.schedule_id ?? '');
  const { clock, database, stores } = context;
  const now = clock.now();
  return await reading<object>(
    context,
    async () => {
      const warnings = await stores.open(caller.ownerId, now);
      const row = await findItem(database.read, caller.ownerId, scheduleId);
      if (!row) throw scheduleNotFound(scheduleId, warnings);
      const item = itemOf(row, isoSeconds(now));
      if (item) return { ok: true, item, warnings };
      return { ok: false, item: null, warnings: [...warnings, `schedule_row_invalid:${scheduleId}`] };
    },
    (word) => ({ ok: false, item: null, warnings: [word] }),
  );
};

/** A page of items; what is wrong with the store is part of the answer. */
export const list: ItemAction = async (context, { caller, query }) => {
  requireRead(caller, STORE_PATH);
  const asked = listFrom(query);
  const { limit, offset } = asked;
  const now = context.clock.now();
  const at = isoSeconds(now);
  return await reading<object>(
    context,
    async () => {
      const opened = await context.stores.open(caller.ownerId, now);
      const { rows, total } = await pageOfItems(context.database.read, caller.ownerId, asked, at);
      const { items, warnings } = readable(rows, at);
      const all = [...opened, ...warnings];
      return { ok: true, count: items.length, total, limit, offset, items, warnings: all };
    },
    (word) => ({ ok: false, count: 0, total: 0, limit, offset, items: [], warnings: [word] }),
  );
};

export const update: ItemAction = async (context, call) => {
  const scheduleId = requireChangeable(call);
  const change = changeFrom(call.raw);
  return await changed(context, call, 'update', (now) =>
    changeItem(context, call.caller, scheduleId, change, now),
  );
};

export const acknowledge: ItemAction = async (context, call) => {
  const scheduleId = requireChangeable(call);
  const { status = 'acknowledged', ...rest } = acknowledgeFrom(call.raw);
  const ending = { status, ...endingOf(rest) };
  return await changed(context, call, 'acknowledge', (now) =>
    endItem(context, call.caller, scheduleId, ending, now),
  );
};

export const retire: ItemAction = async (context, call) => {
  const scheduleId = requireChangeable(call);
  const ending = { status: 'retired', ...endingOf(retireFrom(call.raw)) } as const;
  return await changed(context, call, 'retire', (now) =>
    endItem(context, call.caller, scheduleId, ending, now),
  );
};

async function changed(
  context: ScheduleContext,
  { caller }: ScheduleCall,
  operation: string,
  work: (now: number) => Promise<Changed>,
): Promise<object> {
  const now = context.clock.now();
  const { row, updated, warnings } = await writing(context, () => work(now));
  context.audit(caller, operation, { schedule_id: row.schedule_id, changed: updated });
  return { ok: true, updated, item: shown(row, now), warnings };
}

function requireChangeable({ caller, params }: ScheduleCall): string {
  requireWriter(caller);
  return requireScheduleId(params.schedule_id ?? '');
}

function requireWriter(caller: Caller): void {
  requireWrite(caller, STORE_PATH);
  const { length } = peerIdOf(caller);
  if (length === 0 || length > PEER_CHARS) throw scheduleTrouble('schedule_actor_invalid');
}

/** A row that was just written or locked. */
function shown(row: ItemRow, now: number): ScheduleItem | null {
  return itemOf(row, isoSeconds(now)) ?? null;
}

/** A reason of nothing but blanks is none. */
const endingOf = ({
  expected_version: version,
  reason,
}: RetireItem): Pick<Ending, 'reason' | 'expectedVersion'> => ({
  reason: reason == null || reason === '' ? null : reason,
  expectedVersion: version ?? null,
});
