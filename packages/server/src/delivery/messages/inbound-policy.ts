import { parseAgentId } from '@parley/protocol/identity/agent-id';
import type { Recipient } from '../routing/recipient.ts';
import type { Sender } from './senders.ts';

/** Who may make an agent's machine do something. Its own owner always may; `inboundAllow` holds owner slugs and agent ids. */
export function mayReach(
  { ownerId, inboundPolicy, inboundAllow }: Pick<Recipient, 'ownerId' | 'inboundPolicy' | 'inboundAllow'>,
  sender: InboundSender,
): boolean {
  if (sender.ownerId === ownerId) return true;
  if (inboundPolicy === 'allowlist') return inboundAllow.some((entry) => names(entry, sender));
  return inboundPolicy === 'anyone';
}

type InboundSender = Pick<Sender, 'ownerId' | 'ownerSlug' | 'suffix'>;

function names(entry: string, { suffix, ownerSlug }: InboundSender): boolean {
  const agent = parseAgentId(entry);
  return agent === undefined ? entry.trim().toLowerCase() === ownerSlug : agent === suffix;
}
