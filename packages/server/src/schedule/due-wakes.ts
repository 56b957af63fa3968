import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { Agents } from '../identity/agents/agents.ts';
import type { HouseMail } from '../delivery/messages/house-mail.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Platform } from '../platform.ts';
import { type ItemRow, lockItem } from './item-store.ts';

const JOB = 'schedule.due';

interface Due {
  readonly ownerId: string;
  readonly scheduleId: string;
}

/**
 * Who asked to be woken is sent a message when the item is due, once. The job stands and falls with the item: it moves when the
 * item is put off, and goes when the item ends.
 */
export function dueWakes({ clock, jobs }: Platform, directory: Agents, mail: HouseMail) {
  jobs.defineWrite<Due>(JOB, async (tx, { ownerId, scheduleId }) => {
    const row = await lockItem(tx, ownerId, scheduleId);
    if (!row || !isWaking(row) || row.due_at > isoSeconds(clock.now())) return;
    const agent = (await directory.bySuffix([row.wake_agent], tx)).get(row.wake_agent);
    if (!agent) return;
    await mail.post(tx, {
      from: agent,
      to: agent.suffix,
      // Nobody is answered with it: what agents said to each other before starts anew.
      origin: 'cue',
      subject: `${row.kind === 'reminder' ? 'Reminder' : 'Nudge'}: ${row.title}`,
      body: row.note === null || row.note === '' ? row.title : `${row.title}\n\n${row.note}`,
      metadata: {
        kind: row.kind,
        schedule_id: row.schedule_id,
        due_at: row.due_at,
        task_id: row.task_id,
        thread_id: row.thread_id,
        subject_kind: row.subject_kind,
        subject_id: row.subject_id,
      },
    });
  });
  return {
    /** To be called in every write that makes or changes an item. */
    async plan(tx: Tx, row: ItemRow, before?: ItemRow): Promise<void> {
      const wakes = isWaking(row);
      if (before && wakes && before.due_at === row.due_at && isWaking(before)) return;
      const key = `${row.owner_id} ${row.schedule_id}`;
      const payload: Due = { ownerId: row.owner_id, scheduleId: row.schedule_id };
      if (wakes)
        await jobs.enqueue(tx, JOB, payload, { dueAt: Date.parse(row.due_at), key, onConflict: 'replace' });
      else if (before && isWaking(before)) await jobs.cancel(tx, JOB, key);
    },
  };
}

const isWaking = (row: ItemRow): row is ItemRow & { wake_agent: string } =>
  row.status === 'pending' && row.wake_agent !== null;
