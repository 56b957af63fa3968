import { parseAgentAddress } from '@parley/protocol/identity/agent-address';
import { nearest } from '@parley/protocol/nearest';
import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Recipients } from '../agents/recipients.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { OVER_STATES } from '../records/message-states.ts';

const ELSEWHERE =
  "agents of other owners are addressed as slug@owner; GET /v1/agents/directory lists your owner's";

/** How many of the latest messages, each way, are looked through for somebody known. */
const REACH = 200;

/**
 * A bare slug that leads nowhere, with the way to say what was meant. Names nobody whom the caller does not know anyway: agents
 * of its own owner, and those that an agent of its owner wrote to or heard from.
 */
export async function withHint(
  error: unknown,
  ref: string,
  ownerId: string,
  { reader, recipients, sender }: { reader: Reader; recipients: Recipients; sender: string },
): Promise<unknown> {
  const address = parseAgentAddress(ref);
  const bare = address?.form === 'slug' && address.owner === undefined;
  if (!(error instanceof DeliveryError) || error.code !== 'agent_not_found' || !bare) return error;
  const known = [...(await recipients.addresses(reader, await knownTo(reader, ownerId, sender))).values()];
  const slugs = known.map((text) => text.slice(0, text.indexOf('@')));
  const near = nearest(address.slug, slugs);
  const meant = near === undefined ? undefined : known[slugs.indexOf(near)];
  const hint = meant === undefined ? ELSEWHERE : `did you mean ${meant}? ${ELSEWHERE}`;
  return new DeliveryError('agent_not_found', error.message, { extra: { hint } });
}

/** Suffixes, whoever was heard of last first. */
async function knownTo(reader: Reader, ownerId: string, sender: string): Promise<string[]> {
  const wrote = await reader.values<string>(sql`
    SELECT recipient AS agent FROM messages WHERE sender = ${sender} ORDER BY created_at DESC LIMIT ${REACH}`);
  const heard = await reader.values<string>(sql`
    SELECT sender AS agent FROM messages WHERE recipient = ${sender} AND queued_at IS NOT NULL
      AND state NOT IN ${OVER_STATES} ORDER BY created_at DESC LIMIT ${REACH}`);
  const own = await reader.values<string>(sql`
    SELECT agent FROM agent_delivery WHERE owner_id = ${ownerId} AND deleted_at IS NULL
    ORDER BY created_at DESC LIMIT ${REACH}`);
  return [...new Set([...wrote, ...heard, ...own])];
}
