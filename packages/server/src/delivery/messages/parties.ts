import type { MessageCreate } from '@parley/protocol/delivery/types';
import { agentNotFound } from '../../identity/agents/agents.ts';
import type { Caller } from '../../wire/caller.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { withHint } from './address-hint.ts';
import { mayReach } from './inbound-policy.ts';
import type { MessagingContext } from '../messaging-context.ts';
import type { Recipient } from '../routing/recipient.ts';
import type { MessageView } from '../records/message-row.ts';
import { visibleMessage } from './messages.ts';
import { type Sender, senderOf } from './senders.ts';

/** Everyone a message concerns. */
export interface Parties {
  readonly sender: Sender;
  readonly recipient: Recipient;
  readonly parent: MessageView | undefined;
  readonly replyToAgent: string | null;
  /** Who else is to know of it. */
  readonly notified: readonly Recipient[];
}

/** In the order of the checks: sender, recipient, permission. */
export async function findParties(
  context: MessagingContext,
  caller: Caller,
  body: MessageCreate,
  from: string | undefined,
): Promise<Parties> {
  const { database, directory, recipients } = context;
  const sender = await senderOf(context, caller, from ?? body.from ?? undefined);
  const recipient = await recipientOf(context, caller.ownerId, body.to).catch(async (error: unknown) => {
    const asker = { reader: database.read, recipients, sender: sender.suffix };
    throw await withHint(error, body.to, caller.ownerId, asker);
  });
  allow(sender, recipient);
  const parent =
    body.reply_to == null
      ? undefined
      : await visibleMessage(context, caller.ownerId, body.reply_to, 'reply_to_not_found');
  const replyTo =
    body.reply_to_agent == null ? null : await directory.resolve(caller.ownerId, body.reply_to_agent);
  const notified =
    body.notify.length === 0 ? [] : await notifiedOf(context, caller.ownerId, body.notify, sender, recipient);
  return { sender, recipient, parent, replyToAgent: replyTo?.suffix ?? null, notified };
}

async function recipientOf(
  { database, directory, recipients }: MessagingContext,
  ownerId: string,
  ref: string,
): Promise<Recipient> {
  const { suffix } = await directory.resolve(ownerId, ref);
  const recipient = await recipients.find(database.read, suffix);
  if (!recipient) throw agentNotFound(ref);
  return recipient;
}

async function notifiedOf(
  context: MessagingContext,
  ownerId: string,
  refs: readonly string[],
  sender: Sender,
  recipient: Recipient,
): Promise<Recipient[]> {
  const found = new Map<string, Recipient>();
  for (const ref of refs) {
    const one = await recipientOf(context, ownerId, ref);
    if (one.suffix === sender.suffix || one.suffix === recipient.suffix) continue;
    allow(sender, one);
    found.set(one.suffix, one);
  }
  return [...found.values()];
}

function allow(sender: Sender, recipient: Recipient): void {
  if (!mayReach(recipient, sender)) throw new DeliveryError('cross_tenant_messaging_forbidden');
}
