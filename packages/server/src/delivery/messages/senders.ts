import { SELF_SLUG } from '@parley/protocol/identity/slug';
import type { AgentRef, Caller } from '../../wire/caller.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import type { MessagingContext } from '../messaging-context.ts';
import type { Origin } from '../records/message-row.ts';

export interface Sender extends AgentRef {
  readonly ownerSlug: string;
  readonly origin: Origin;
}

type Directory = Pick<MessagingContext, 'directory' | 'settings'>;

/** As whom a caller speaks: the agent it names, else the one its key is bound to, else the owner's own identity. */
export async function senderOf(
  context: Directory,
  caller: Caller,
  named: string | undefined,
): Promise<Sender> {
  const agent = named === undefined ? await unnamed(context, caller) : await ownNamed(context, caller, named);
  // A person has an owner-wide key and speaks in the owner's own name; whoever is bound to an agent is that agent.
  const human = caller.agent === undefined && agent.slug === SELF_SLUG;
  return { ...agent, ownerSlug: caller.ownerSlug, origin: human ? 'human' : 'agent' };
}

async function unnamed({ directory, settings }: Directory, caller: Caller): Promise<AgentRef> {
  if (caller.agent === undefined && settings.requireSender) throw new DeliveryError('missing_from_agent');
  return await directory.acting(caller);
}

/** What is not the caller's answers alike whether it exists or not. */
async function ownNamed({ directory }: Directory, caller: Caller, named: string): Promise<AgentRef> {
  const { ownerId } = caller;
  const agent = await unlessMissing(directory.resolveOwn(ownerId, named));
  if (!agent) {
    const deleted = await unlessMissing(directory.resolveOwnOrDeleted(ownerId, named));
    throw new DeliveryError(deleted ? 'from_agent_deleted' : 'from_agent_not_owned');
  }
  if (caller.agent !== undefined && caller.agent.suffix !== agent.suffix) {
    throw new DeliveryError('from_agent_not_owned', 'this key speaks for one agent, and that is another');
  }
  return agent;
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof DeliveryError && error.code === 'agent_not_found') return undefined;
    throw error;
  }
}
