import { AGENT_SUFFIX_LENGTH } from '@parley/protocol/identity/agent-id';
import { parseAgentAddress } from '@parley/protocol/identity/agent-address';
import { RESERVED_AGENT_SLUGS, SELF_SLUG, slugFrom, slugWithTail } from '@parley/protocol/identity/slug';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import type { Database, Reader, Tx } from '../../platform/database/database.ts';
import { pages } from '../../platform/database/pages.ts';
import { Remembered } from '../../platform/database/remembered.ts';
import { LOWER_ALPHANUMERIC, type Random } from '../../platform/ids.ts';
import type { Platform } from '../../platform.ts';
import type { AgentDetails, AgentName } from './agent-details.ts';
import * as store from './agent-store.ts';
import type { AgentRef, Caller } from '../../wire/caller.ts';
import { ownerSlugs, slugOwner } from '../owners/owner-store.ts';

/** Part of the transaction that makes an agent, for the module that keeps more about it. */
export type AgentCreated = (tx: Tx, agent: AgentRef, now: number) => Promise<void>;
/** The suffix of the agent that answers to a slug which is no agent's own. */
export type SlugLookup = (ownerId: string, slug: string) => Promise<string | undefined>;

type AgentsPlatform = Pick<Platform, 'database' | 'clock' | 'random'>;

const PAGE = 500;
const NAMES_KEPT = 10_000;

export class Agents {
  readonly #platform: AgentsPlatform;
  readonly #database: Database;
  readonly #created: AgentCreated[] = [];
  readonly #lookups: SlugLookup[] = [];
  /** By suffix, or by owner and slug. */
  readonly #known: Remembered<AgentRef>;
  readonly #names: Remembered<AgentName>;
  /** The id by the slug. */
  readonly #owners: Remembered<string>;

  constructor(platform: AgentsPlatform) {
    this.#platform = platform;
    this.#database = platform.database;
    const most = NAMES_KEPT;
    this.#known = new Remembered({ ...platform, tables: ['agents'], most });
    this.#names = new Remembered({ ...platform, tables: ['agents', 'owners'], most });
    this.#owners = new Remembered({ ...platform, tables: ['owners'], most });
  }

  onCreated(hook: AgentCreated): void {
    this.#created.push(hook);
  }

  /** Asked, in order, for slugs that no agent has. */
  alsoFind(lookup: SlugLookup): void {
    this.#lookups.push(lookup);
  }

  /** A new agent with a slug made from its name, or from another wish. */
  async create(tx: Tx, ownerId: string, name: string, wanted = slugFrom(name, 'agent')): Promise<AgentRef> {
    for (const slug of slugCandidates(wanted, this.#platform.random)) {
      if (RESERVED_AGENT_SLUGS.has(slug)) continue;
      const agent = await this.insert(tx, { ownerId, name, slug });
      if (agent) return agent;
    }
    throw new Error('no free slug was found');
  }

  /** Undefined when the owner has an agent of this slug. */
  async insert(tx: Tx, fields: Omit<AgentRef, 'suffix'>): Promise<AgentRef | undefined> {
    const agent = { suffix: this.#platform.random.text(AGENT_SUFFIX_LENGTH, LOWER_ALPHANUMERIC), ...fields };
    const now = this.#platform.clock.now();
    if (!(await store.insertAgent(tx, agent, now))) return undefined;
    for (const hook of this.#created) await hook(tx, agent, now);
    return agent;
  }

  /** The agent a call speaks for: the bound one, or the owner's `self`. */
  async acting(caller: Caller): Promise<AgentRef> {
    return caller.agent ?? (await this.#self(caller.ownerId));
  }

  /** The owner's `self`, made on first use. */
  async selfIn(tx: Tx, ownerId: string): Promise<AgentRef> {
    const find = () => store.agentBySlug(tx, ownerId, SELF_SLUG);
    const self =
      (await find()) ??
      (await this.insert(tx, { ownerId, name: SELF_SLUG, slug: SELF_SLUG })) ??
      (await find());
    if (!self) throw new Error('the agent "self" could neither be made nor found');
    return self;
  }

  /** Every agent of any owner, deleted ones too: whoever spoke keeps a name. */
  async bySuffix(
    suffixes: readonly string[],
    reader: Reader = this.#database.read,
  ): Promise<Map<string, AgentDetails>> {
    const found = await store.agentsBySuffix(reader, suffixes);
    return new Map(found.map((agent) => [agent.suffix, agent]));
  }

  /** Those that are not deleted. */
  count(reader: Reader, ownerId: string): Promise<number> {
    return store.countAgents(reader, ownerId);
  }

  /** Every live agent of every owner, for a module that has to catch up with those that were there before it. */
  async *everyone(reader: Reader): AsyncGenerator<AgentDetails> {
    const next = (after?: AgentDetails) => store.agentsAfter(reader, after?.suffix ?? '', PAGE);
    for await (const page of pages(PAGE, next)) yield* page;
  }

  /** Those of the owner's agents that have one of the slugs. */
  withSlugs(reader: Reader, ownerId: string, slugs: readonly string[]): Promise<AgentRef[]> {
    return store.agentsBySlug(reader, ownerId, [...new Set(slugs)]);
  }

  /** False when the agent was deleted; else it stays until the commit. */
  hold(tx: Tx, suffix: string): Promise<boolean> {
    return store.holdAgent(tx, suffix);
  }

  /** The account of an agent that is not deleted. */
  async ownerIdOf(suffix: string): Promise<string | undefined> {
    return (await this.#withSuffix(suffix))?.ownerId;
  }

  /** What an address is spelled with, of an agent that is not deleted. */
  async nameOf(reader: Reader, suffix: string): Promise<AgentName | undefined> {
    if (reader !== this.#database.read) return await store.agentName(reader, suffix);
    return await this.#names.get(suffix, () => store.agentName(reader, suffix));
  }

  /** Of one owner, or of all: those whose slug begins so, in its order. */
  startingWith(text: string, ownerId: string | undefined, limit: number): Promise<AgentRef[]> {
    return store.agentsStartingWith(this.#database.read, text, ownerId, limit);
  }

  /** Owner id → slug, to spell addresses. */
  async ownerSlugs(reader: Reader, ownerIds: readonly string[]): Promise<Map<string, string>> {
    const found = await ownerSlugs(reader, ownerIds);
    return new Map(found.map(({ id, slug }) => [id, slug]));
  }

  /** The agent a caller named in any of the three forms; bare slugs are looked up in the caller's own owner. */
  async resolve(ownerId: string, text: string): Promise<AgentRef> {
    const address = parseAgentAddress(text);
    if (!address) throw new DeliveryError('invalid_agent_address');
    const found =
      address.form === 'id'
        ? await this.#withSuffix(address.suffix)
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

  /** As `resolveOwn`, and a deleted agent is found when no other answers to the text. */
  async resolveOwnOrDeleted(ownerId: string, text: string): Promise<AgentRef> {
    const found = await this.resolveOwn(ownerId, text).catch((error: unknown) => {
      if (error instanceof DeliveryError && error.code === 'agent_not_found') return undefined;
      throw error;
    });
    const agent = found ?? (await this.#tombstone(ownerId, text));
    if (agent?.ownerId !== ownerId) throw agentNotFound(text);
    return agent;
  }

  async #tombstone(own: string, text: string): Promise<AgentRef | undefined> {
    const address = parseAgentAddress(text);
    if (address?.form === 'id') return (await this.bySuffix([address.suffix])).get(address.suffix);
    if (!address) return undefined;
    const ownerId = await this.#ownerOf(address.owner, own);
    return ownerId === undefined
      ? undefined
      : await store.deletedBySlug(this.#database.read, ownerId, address.slug);
  }

  async #bySlug(owner: string | undefined, own: string, slug: string): Promise<AgentRef | undefined> {
    const ownerId = await this.#ownerOf(owner, own);
    if (ownerId === undefined) return undefined;
    const named = await this.#withSlug(ownerId, slug);
    if (named) return named;
    for (const lookup of this.#lookups) {
      const suffix = await lookup(ownerId, slug);
      const agent = suffix === undefined ? undefined : await this.#withSuffix(suffix);
      if (agent) return agent;
    }
    return undefined;
  }

  #withSuffix(suffix: string): Promise<AgentRef | undefined> {
    return this.#known.get(suffix, () => store.agentBySuffix(this.#database.read, suffix));
  }

  #withSlug(ownerId: string, slug: string): Promise<AgentRef | undefined> {
    return this.#known.get(`${ownerId} ${slug}`, () => store.agentBySlug(this.#database.read, ownerId, slug));
  }

  async #ownerOf(owner: string | undefined, own: string): Promise<string | undefined> {
    if (owner === undefined) return own;
    return await this.#owners.get(owner, () => slugOwner(this.#database.read, owner));
  }

  async #self(ownerId: string): Promise<AgentRef> {
    const known = await this.#withSlug(ownerId, SELF_SLUG);
    return known ?? (await this.#database.write((tx) => this.selfIn(tx, ownerId)));
  }
}

export const agentNotFound = (text: string): DeliveryError =>
  new DeliveryError('agent_not_found', `agent ${text.trim()} not found`);

/** The slug itself, then with four hex digits, then with more until one is sure to be free. */
export function* slugCandidates(slug: string, random: Random): Generator<string> {
  yield slug;
  for (const bytes of [2, 2, 2, 4, 8]) yield slugWithTail(slug, random.hex(bytes));
}
