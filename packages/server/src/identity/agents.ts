import { AGENT_SUFFIX_LENGTH } from '@parley/protocol/identity/agent-id';
import { parseAgentAddress } from '@parley/protocol/identity/agent-address';
import { RESERVED_AGENT_SLUGS, SELF_SLUG, slugFrom } from '@parley/protocol/identity/slug';
import { DeliveryError } from '../delivery/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/database/database.ts';
import { LOWER_ALPHANUMERIC, type Random } from '../platform/ids.ts';
import { agentBySlug, agentBySuffix, agentsBySuffix, insertAgent } from './agent-store.ts';
import type { AgentRef, Caller } from './caller.ts';
import { slugOwner } from './owner-store.ts';
import { slugCandidates } from './owners.ts';

export interface AgentsOptions {
  database: Database;
  clock: Clock;
  random: Random;
}

export class Agents {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor({ database, clock, random }: AgentsOptions) {
    this.#database = database;
    this.#clock = clock;
    this.#random = random;
  }

  /** A new agent with a slug made from its name. */
  async create(tx: Tx, ownerId: string, name: string): Promise<AgentRef> {
    for (const slug of slugCandidates(slugFrom(name, 'agent'), this.#random)) {
      if (RESERVED_AGENT_SLUGS.has(slug)) continue;
      const agent = { suffix: this.#newSuffix(), ownerId, name, slug };
      if (await insertAgent(tx, agent, this.#clock.now())) return agent;
    }
    throw new Error('no free slug was found');
  }

  /** The agent a call speaks for: the bound one, or the owner's `self`. */
  async acting(caller: Caller): Promise<AgentRef> {
    return caller.agent ?? (await this.#self(caller.ownerId));
  }

  /** Every agent of any owner, deleted ones too: whoever spoke keeps a name. */
  async bySuffix(suffixes: readonly string[]): Promise<Map<string, AgentRef>> {
    if (suffixes.length === 0) return new Map();
    const found = await agentsBySuffix(this.#database.read, [...new Set(suffixes)]);
    return new Map(found.map((agent) => [agent.suffix, agent]));
  }

  /** The agent a caller named in any of the three forms; bare slugs are looked up in the caller's own owner. */
  async resolve(ownerId: string, text: string): Promise<AgentRef> {
    const address = parseAgentAddress(text);
    if (!address) throw new DeliveryError('invalid_agent_address');
    const found =
      address.form === 'id'
        ? await agentBySuffix(this.#database.read, address.suffix)
        : await this.#bySlug(address.owner, ownerId, address.slug);
    if (!found) throw agentNotFound(text);
    return found;
  }

  /** As `resolve`, but an agent of another owner is as good as none. */
  async resolveOwn(ownerId: string, text: string): Promise<AgentRef> {
    const agent = await this.resolve(ownerId, text);
    if (agent.ownerId !== ownerId) throw agentNotFound(text);
    return agent;
  }

  async #bySlug(owner: string | undefined, own: string, slug: string): Promise<AgentRef | undefined> {
    const { read } = this.#database;
    const ownerId = owner === undefined ? own : await slugOwner(read, owner);
    return ownerId === undefined ? undefined : await agentBySlug(read, ownerId, slug);
  }

  async #self(ownerId: string): Promise<AgentRef> {
    const known = await agentBySlug(this.#database.read, ownerId, SELF_SLUG);
    if (known) return known;
    return await this.#database.write(async (tx) => {
      const made = { suffix: this.#newSuffix(), ownerId, name: SELF_SLUG, slug: SELF_SLUG };
      if (await insertAgent(tx, made, this.#clock.now())) return made;
      const other = await agentBySlug(tx, ownerId, SELF_SLUG);
      if (!other) throw new Error('the agent "self" could neither be made nor found');
      return other;
    });
  }

  #newSuffix(): string {
    return this.#random.text(AGENT_SUFFIX_LENGTH, LOWER_ALPHANUMERIC);
  }
}

const agentNotFound = (text: string): DeliveryError =>
  new DeliveryError('agent_not_found', `agent ${text.trim()} not found`);
