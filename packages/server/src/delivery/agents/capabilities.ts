import type { Channel } from '@parley/protocol/delivery/vocabulary';
import { DeliveryError } from '../../wire/delivery/errors.ts';

export interface CapabilityFacts {
  /** Null: never declared. */
  readonly declared: readonly Channel[] | null;
  readonly hasWebhookUrl: boolean;
  readonly liveAttached: boolean;
  /** A background handler has beaten for the agent at least once. */
  readonly bgSeen: boolean;
}

/** What was declared, untouched; else what the agent evidently can do right now. */
export function effectiveCapabilities(facts: CapabilityFacts): readonly Channel[] {
  if (facts.declared !== null) return facts.declared;
  return [
    ...(facts.liveAttached ? (['live'] as const) : []),
    ...(facts.bgSeen ? (['bg'] as const) : []),
    'inbox',
    ...(facts.hasWebhookUrl ? (['webhook'] as const) : []),
  ];
}

/** Checked on the state after the whole request, so that both may change together. */
export function checkPreferredContact(preferred: Channel | null, capabilities: readonly Channel[]): void {
  if (preferred === null || capabilities.includes(preferred)) return;
  throw new DeliveryError(
    'preferred_contact_not_in_capabilities',
    `preferred_contact: ${preferred} is not one of the capabilities (${capabilities.join(', ')})`,
    { details: [{ field: 'body.preferred_contact', message: 'must be one of delivery_capabilities' }] },
  );
}
