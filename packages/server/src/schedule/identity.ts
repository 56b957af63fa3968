import { hash } from 'node:crypto';
import type { CreateItem } from '@parley/protocol/schedule/requests';
import { canonicalJson } from '../continuity/capsule/canonical.ts';

/** What makes two requests the same one. */
export interface CreateIdentity {
  readonly json: string;
  readonly hash: string;
  /** Of an item that was given none. */
  readonly scheduleId: string;
}

/** The caller is part of it, the id is not. That somebody wants to be woken is told only where it is so. */
export function createIdentity(item: CreateItem, createdBy: string): CreateIdentity {
  const json = canonicalJson({
    kind: item.kind,
    title: item.title,
    note: item.note ?? null,
    due_at: item.due_at,
    task_id: item.task_id ?? null,
    thread_id: item.thread_id ?? null,
    subject_kind: item.subject_kind ?? null,
    subject_id: item.subject_id ?? null,
    idempotency_key: item.idempotency_key ?? null,
    metadata: item.metadata ?? {},
    created_by: createdBy,
    ...(item.wake === true && { wake: true }),
  });
  const digest = hash('sha256', json);
  return { json, hash: digest, scheduleId: `sched_${digest.slice(0, 32)}` };
}
