import type { InboundPolicy } from '@parley/protocol/delivery/vocabulary';
import { parseAgentId } from '@parley/protocol/identity/agent-id';

/** Who may make an agent's machine do something. Its own owner always may. */
export interface InboundRules {
  readonly ownerId: string;
  readonly policy: InboundPolicy;
  /** Owner slugs and agent ids. */
  readonly allow: readonly string[];
}

export interface InboundSender {
  readonly ownerId: string;
  readonly ownerSlug: string;
  readonly suffix: string;
}

export function mayReach(recipient: InboundRules, sender: InboundSender): boolean {
  if (sender.ownerId === recipient.ownerId) return true;
  if (recipient.policy === 'allowlist') return recipient.allow.some((entry) => names(entry, sender));
  return recipient.policy === 'anyone';
}

function names(entry: string, { suffix, ownerSlug }: InboundSender): boolean {
  const agent = parseAgentId(entry);
  return agent === undefined ? entry.trim().toLowerCase() === ownerSlug : agent === suffix;
}
