import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Database } from '../../platform/database/database.ts';
import { messagesById } from '../records/message-store.ts';
import { type Delivery, WEBHOOK_JOB } from './webhook-kind.ts';

/** The endpoint of an agent for its messages, or that of a subscription to its events. */
export type HastenedEndpoint =
  | { readonly kind: 'agent'; readonly agent: string }
  | { readonly kind: 'events'; readonly subscription: string };

/** What the endpoint did not take and waits for another time is tried now; how many there were. */
export function hastenWebhooks(
  { jobs, database }: { readonly jobs: Jobs; readonly database: Database },
  ownerId: string,
  to: HastenedEndpoint,
  most: number,
): Promise<number> {
  return jobs.hasten<Delivery>(WEBHOOK_JOB, ownerId, most, async (deliveries) => {
    if (to.kind === 'events')
      return new Set(
        deliveries.filter(({ kind, ref }) => kind === 'subscription' && ref === `sub:${to.subscription}`),
      );
    const ofMessages = deliveries.filter(({ kind }) => kind === 'message');
    const messages = await messagesById(
      database.read,
      ofMessages.map(({ ref }) => ref),
    );
    return new Set(ofMessages.filter(({ ref }) => messages.get(ref)?.recipient === to.agent));
  });
}
