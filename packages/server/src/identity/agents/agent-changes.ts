import type { Tx } from '../../platform/database/database.ts';
import type { AgentRef } from '../../wire/caller.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { announceRevoked } from '../keys/revocations.ts';
import type { IdentityService } from '../service.ts';
import { changeAgent, credentialsOfAgent, markAgentDeleted, setAgentSlug } from './agent-store.ts';

/** Changes to an agent that exists, inside the transaction of whoever asks for them. */
export async function renameAgent(
  { clock }: IdentityService,
  tx: Tx,
  agent: AgentRef,
  slug: string,
): Promise<void> {
  if (!(await setAgentSlug(tx, agent, slug, clock.now()))) throw new DeliveryError('slug_taken');
}

/** A new name, or something about the agent that another module keeps. */
export const touchAgent = (
  { clock }: IdentityService,
  tx: Tx,
  agent: AgentRef,
  name?: string,
): Promise<void> =>
  changeAgent(tx, agent, { ...(name !== undefined && { display_name: name }), updated_at: clock.now() });

/** The slug is free at once; the agent's keys and sessions, and their streams, end. False when it was deleted before. */
export async function deleteAgent(
  { clock, bus, hooks }: IdentityService,
  tx: Tx,
  agent: AgentRef,
): Promise<boolean> {
  if (!(await markAgentDeleted(tx, agent, clock.now()))) return false;
  announceRevoked(bus, tx, await credentialsOfAgent(tx, agent.suffix));
  for (const act of hooks.agentDeleted) await act(tx, agent.suffix);
  return true;
}
