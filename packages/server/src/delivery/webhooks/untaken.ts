import type { UndoneJob } from '../../platform/jobs/job.ts';
import type { Platform } from '../../platform.ts';
import { messagesById } from '../records/message-store.ts';
import { type Delivery, WEBHOOK_JOB } from './webhook-kind.ts';

/** The endpoint of an agent for its messages, or that of a subscription to its events. */
export type UntakenBy =
  | { readonly kind: 'agent'; readonly agent: string }
  | { readonly kind: 'events'; readonly subscription: string };

/** What the endpoint did not take and waits for another time. */
export async function untakenBy(
  { jobs, database }: Pick<Platform, 'jobs' | 'database'>,
  ownerId: string,
  by: UntakenBy,
  most: number,
): Promise<UndoneJob<Delivery>[]> {
  const undone = await jobs.undone<Delivery>(WEBHOOK_JOB, ownerId, most);
  if (by.kind === 'events')
    return undone.filter(
      ({ payload: { kind, ref } }) => kind === 'subscription' && ref === `sub:${by.subscription}`,
    );
  const ofMessages = undone.filter(({ payload }) => payload.kind === 'message');
  const messages = await messagesById(
    database.read,
    ofMessages.map(({ payload }) => payload.ref),
  );
  return ofMessages.filter(({ payload }) => messages.get(payload.ref)?.recipient === by.agent);
}
