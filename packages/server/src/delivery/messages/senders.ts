import { SELF_SLUG } from '@parley/protocol/identity/slug';
import type { Agents } from '../../identity/agents/agents.ts';
import type { AgentRef, Caller } from '../../wire/caller.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import type { Origin } from '../records/message-row.ts';

export interface Sender {
  readonly suffix: string;
  readonly ownerId: string;
  readonly ownerSlug: string;
  readonly slug: string;
  readonly origin: Origin;
}

export interface SendersOptions {
  directory: Agents;
  requireSender: boolean;
}

/** As whom a caller speaks: the agent it names, else the one its key is bound to, else the owner's own identity. */
export class Senders {
  readonly #directory: Agents;
  readonly #requireSender: boolean;

  constructor({ directory, requireSender }: SendersOptions) {
    this.#directory = directory;
    this.#requireSender = requireSender;
  }

  async of(caller: Caller, named: string | undefined): Promise<Sender> {
    const agent = named === undefined ? await this.#unnamed(caller) : await this.#named(caller, named);
    // A person has an owner-wide key and speaks in the owner's own name; whoever is bound to an agent is that agent.
    const human = caller.agent === undefined && agent.slug === SELF_SLUG;
    return { ...agent, ownerSlug: caller.ownerSlug, origin: human ? 'human' : 'agent' };
  }

  async #unnamed(caller: Caller): Promise<AgentRef> {
    if (caller.agent === undefined && this.#requireSender) throw new DeliveryError('missing_from_agent');
    return await this.#directory.acting(caller);
  }

  /** What is not the caller's answers alike whether it exists or not. */
  async #named(caller: Caller, named: string): Promise<AgentRef> {
    const { ownerId } = caller;
    const agent = await unlessMissing(this.#directory.resolveOwn(ownerId, named));
    if (!agent) {
      const deleted = await unlessMissing(this.#directory.resolveOwnOrDeleted(ownerId, named));
      throw new DeliveryError(deleted ? 'from_agent_deleted' : 'from_agent_not_owned');
    }
    if (caller.agent !== undefined && caller.agent.suffix !== agent.suffix) {
      throw new DeliveryError('from_agent_not_owned', 'this key speaks for one agent, and that is another');
    }
    return agent;
  }
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof DeliveryError && error.code === 'agent_not_found') return undefined;
    throw error;
  }
}
