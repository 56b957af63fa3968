import type { MessageCreate } from '@parley/protocol/delivery/types';
import type { Tx } from '../../platform/database/database.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { planPush, type PushPlan } from '../routing/push-plan.ts';
import type { Recipient } from '../routing/recipient.ts';
import { holdAttached } from '../sessions/session-store.ts';

/**
 * The way of a message, planned under the locks that a delete and a detach take too: no push is left behind at an agent or a
 * session that is gone. Undefined when the agent is.
 */
export async function heldPlan(
  { settings, directory, recipients }: Pick<MessagingContext, 'settings' | 'directory' | 'recipients'>,
  tx: Tx,
  recipient: Recipient,
  said: Pick<MessageCreate, 'delivery_mode' | 'live_fallback_mode' | 'live_label'>,
  now: number,
): Promise<PushPlan | undefined> {
  if (!(await directory.hold(tx, recipient.suffix))) return undefined;
  const { delivery_mode: mode, live_fallback_mode: fallback, live_label: liveLabel = null } = said;
  const request = { mode, fallback, liveLabel };
  const times = { now, ...settings };
  const plan = planPush(recipient, request, times);
  if (plan.action !== 'offer') return plan;
  if (await holdAttached(tx, plan.columns.session_id ?? '')) return plan;
  const sessions = await recipients.sessions(tx, recipient.suffix);
  return planPush({ ...recipient, sessions }, request, times);
}
