import { isMessageId } from '@parley/protocol/delivery/ids';
import type { MessageCreate } from '@parley/protocol/delivery/types';
import type { Agents } from '../../identity/agents/agents.ts';
import type { Caller } from '../../wire/caller.ts';
import type { Database } from '../../platform/database/database.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { withHint } from './address-hint.ts';
import { mayReach } from './inbound-policy.ts';
import type { Recipient, Recipients } from '../routing/recipient.ts';
import type { MessageView } from '../records/message-row.ts';
import { readMessage } from '../records/message-store.ts';
import type { Sender, Senders } from './senders.ts';

/** Everyone a message concerns. */
export interface Parties {
  readonly sender: Sender;
  readonly recipient: Recipient;
  readonly parent: MessageView | undefined;
  readonly replyToAgent: string | null;
  /** Who else is to know of it. */
  readonly notified: readonly Recipient[];
}

export interface PartyFinderOptions {
  database: Database;
  directory: Agents;
  recipients: Recipients;
  senders: Senders;
}

export class PartyFinder {
  readonly #options: PartyFinderOptions;

  constructor(options: PartyFinderOptions) {
    this.#options = options;
  }

  /** In the order of the checks: sender, recipient, permission. */
  async find(caller: Caller, body: MessageCreate, from: string | undefined): Promise<Parties> {
    const { database, directory, recipients, senders } = this.#options;
    const sender = await senders.of(caller, from ?? body.from ?? undefined);
    const recipient = await this.#recipient(caller.ownerId, body.to).catch(async (error: unknown) => {
      const asker = { reader: database.read, recipients, sender: sender.suffix };
      throw await withHint(error, body.to, caller.ownerId, asker);
    });
    allow(sender, recipient);
    const parent = body.reply_to == null ? undefined : await this.#parent(caller.ownerId, body.reply_to);
    const replyTo =
      body.reply_to_agent == null ? null : await directory.resolve(caller.ownerId, body.reply_to_agent);
    const notified =
      body.notify.length === 0 ? [] : await this.#notified(caller.ownerId, body.notify, sender, recipient);
    return { sender, recipient, parent, replyToAgent: replyTo?.suffix ?? null, notified };
  }

  async #recipient(ownerId: string, ref: string): Promise<Recipient> {
    const { database, directory, recipients } = this.#options;
    const { suffix } = await directory.resolve(ownerId, ref);
    const recipient = await recipients.find(database.read, suffix);
    if (!recipient) throw noAgent(ref);
    return recipient;
  }

  async #parent(ownerId: string, id: string): Promise<MessageView> {
    const parent = isMessageId(id) ? await readMessage(this.#options.database.read, ownerId, id) : undefined;
    // What is not due yet has not been said to its recipient.
    const hidden = parent?.queued_at === null && parent.sender_owner !== ownerId;
    if (!parent || hidden) throw new DeliveryError('reply_to_not_found');
    return parent;
  }

  async #notified(
    ownerId: string,
    refs: readonly string[],
    sender: Sender,
    recipient: Recipient,
  ): Promise<Recipient[]> {
    const found = new Map<string, Recipient>();
    for (const ref of refs) {
      const one = await this.#recipient(ownerId, ref);
      if (one.suffix === sender.suffix || one.suffix === recipient.suffix) continue;
      allow(sender, one);
      found.set(one.suffix, one);
    }
    return [...found.values()];
  }
}

export const noAgent = (ref: string): DeliveryError =>
  new DeliveryError('agent_not_found', `agent ${ref.trim()} not found`);

function allow(sender: Sender, { ownerId, inboundPolicy, inboundAllow }: Recipient): void {
  if (!mayReach({ ownerId, policy: inboundPolicy, allow: inboundAllow }, sender)) {
    throw new DeliveryError('cross_tenant_messaging_forbidden');
  }
}
