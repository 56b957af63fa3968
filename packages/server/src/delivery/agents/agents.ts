import type { AgentCreate, AgentPatch, ProfilePatch } from '@parley/protocol/delivery/types';
import { RESERVED_AGENT_SLUGS, slugFrom, slugWithTail } from '@parley/protocol/identity/slug';
import type { AgentRef } from '../../wire/caller.ts';
import { deleteAgent, renameAgent, touchAgent } from '../../identity/agents/agent-changes.ts';
import type { IdentityService } from '../../identity/service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { isUniqueViolation } from '../../platform/database/errors.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { StoredUrlVerdict } from '../../platform/outbound/stored-url.ts';
import { mustFit } from '../../wire/delivery/budget.ts';
import { checkPreferredContact } from './capabilities.ts';
import { DeliveryError, validationError } from '../../wire/delivery/errors.ts';
import type { PushObserver } from '../routing/recipient.ts';
import type { DeliverySettings } from '../settings.ts';
import type { LiveSessions } from '../sessions/live-sessions.ts';
import { patchSettings } from './agent-patch.ts';
import type { AgentRecord, AgentSettings } from './agent-record.ts';
import {
  type AgentFilter,
  agentRecord,
  countAgentRecords,
  insertAgentRow,
  listAgentRecords,
  markRowDeleted,
  removeAgentRows,
  touchBackground,
  writeSettings,
} from './agent-store.ts';
import type { AgentView, WholeAgent } from './agent-view.ts';
import { formerSlugOf, giveUpSlug, takeSlug } from './former-slug-store.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

export interface DeliveryAgentsOptions {
  database: Database;
  clock: Clock;
  jobs: Jobs;
  identity: IdentityService;
  settings: DeliverySettings;
  view: AgentView;
  secrets: WebhookSecrets;
  sessions: LiveSessions;
  observer: PushObserver;
  checkUrl: (url: string) => Promise<StoredUrlVerdict>;
}

/** An agent after a change, with what is said only once about it. */
export interface ChangedAgent {
  readonly agent: WholeAgent;
  readonly webhookSecret: string | null;
  readonly warning: string | null;
}

export interface AgentPage extends AgentFilter {
  readonly limit: number;
  readonly offset: number;
}

const REMOVAL = 'delivery.agent_removal';

/** Agents as receivers: made, changed, renamed, deleted. Identity keeps who they are, this what they can be sent. */
export class DeliveryAgents {
  readonly #options: DeliveryAgentsOptions;

  constructor(options: DeliveryAgentsOptions) {
    this.#options = options;
    const { database, identity, jobs } = options;
    identity.directory.onCreated(async (tx, agent, now) => {
      await insertAgentRow(tx, agent, now);
      await takeSlug(tx, agent.ownerId, agent.slug);
    });
    identity.directory.alsoFind((ownerId, slug) => formerSlugOf(database.read, ownerId, slug));
    jobs.define<{ suffix: string }>(REMOVAL, {
      handler: ({ payload }, { complete }) =>
        database.write(async (tx) => {
          await removeAgentRows(tx, payload.suffix);
          await complete(tx);
        }),
    });
  }

  async create(ownerId: string, wish: AgentCreate): Promise<ChangedAgent> {
    const { database, identity, secrets } = this.#options;
    const { budgets } = this.#options.settings;
    const { slug: wishedSlug, display_name: displayName, parent_agent_id: parentRef, ...patch } = wish;
    if (wishedSlug != null && RESERVED_AGENT_SLUGS.has(wishedSlug)) throw new DeliveryError('reserved_slug');
    const warning = await this.#checkedUrl(wish.webhook_url);
    const parent = parentRef == null ? undefined : await this.#parent(ownerId, parentRef);
    const name = displayName ?? wish.profile?.display_name ?? wishedSlug ?? (parent && `${parent.name} live`);
    if (name == null) {
      throw validationError([{ field: 'body.display_name', message: 'is required when there is no slug' }]);
    }
    return await database.write(async (tx) => {
      await mustFit(tx, ownerId, budgets.agents, (inside, owner) => identity.directory.count(inside, owner));
      const agent =
        wishedSlug == null
          ? await identity.directory.create(
              tx,
              ownerId,
              name,
              parent ? slugWithTail(parent.slug, 'live') : slugFrom(name, 'agent'),
            )
          : await identity.directory.insert(tx, { ownerId, name, slug: wishedSlug });
      if (!agent) throw new DeliveryError('slug_taken');
      const record = await this.#record(tx, agent.suffix);
      const settings = { ...patchSettings(record, patch), parent: parent?.suffix ?? null };
      await this.#store(tx, record, settings, { checkContact: true });
      const webhookSecret = settings.webhookUrl === null ? null : await secrets.ensure(tx, agent.suffix);
      return { agent: await this.#whole(tx, agent.suffix), webhookSecret, warning };
    });
  }

  async list(ownerId: string, page: AgentPage): Promise<{ agents: WholeAgent[]; total: number }> {
    const { read } = this.#options.database;
    const [records, total] = await Promise.all([
      listAgentRecords(read, ownerId, page),
      countAgentRecords(read, ownerId, page),
    ]);
    return { agents: await this.#options.view.whole(read, records), total };
  }

  /** One of the owner's agents, in any address form. */
  own(ownerId: string, ref: string, includeDeleted = false): Promise<AgentRef> {
    const { directory } = this.#options.identity;
    return includeDeleted ? directory.resolveOwnOrDeleted(ownerId, ref) : directory.resolveOwn(ownerId, ref);
  }

  async read(ownerId: string, ref: string, includeDeleted = false): Promise<WholeAgent> {
    const agent = await this.own(ownerId, ref, includeDeleted);
    const record = await agentRecord(this.#options.database.read, agent.suffix);
    const [whole] = record ? await this.#options.view.whole(this.#options.database.read, [record]) : [];
    // An agent whose time as a tombstone is over still has its name, and nothing else.
    if (!whole) throw new DeliveryError('agent_not_found', `agent ${ref.trim()} not found`);
    return whole;
  }

  async patch(ownerId: string, ref: string, patch: AgentPatch): Promise<ChangedAgent> {
    const { database, identity, secrets } = this.#options;
    const agent = await this.own(ownerId, ref);
    const warning = await this.#checkedUrl(patch.webhook_url);
    return await database.write(async (tx) => {
      await lockAgent(tx, agent);
      const { display_name: name, ...rest } = patch;
      const record = await this.#record(tx, agent.suffix);
      const checkContact = patch.delivery_capabilities !== undefined || patch.preferred_contact !== undefined;
      await this.#store(tx, record, patchSettings(record, rest), { checkContact });
      if (patch.webhook_url === null) await secrets.clear(tx, agent.suffix);
      else if (patch.webhook_url !== undefined) await secrets.ensure(tx, agent.suffix);
      await touchAgent(identity, tx, agent, name);
      return { agent: await this.#whole(tx, agent.suffix), webhookSecret: null, warning };
    });
  }

  async patchProfile(ownerId: string, ref: string, profile: ProfilePatch): Promise<WholeAgent> {
    return (await this.patch(ownerId, ref, { profile })).agent;
  }

  async rename(ownerId: string, ref: string, slug: string): Promise<WholeAgent> {
    const { database, clock, identity } = this.#options;
    if (RESERVED_AGENT_SLUGS.has(slug)) throw new DeliveryError('reserved_slug');
    const agent = await this.own(ownerId, ref);
    const renamed = database.write(async (tx) => {
      await lockAgent(tx, agent);
      const before =
        (await identity.directory.bySuffix([agent.suffix], tx)).get(agent.suffix)?.slug ?? agent.slug;
      if (slug !== before) {
        await renameAgent(identity, tx, agent, slug);
        await takeSlug(tx, ownerId, slug);
        await giveUpSlug(tx, ownerId, { slug: before, agent: agent.suffix, now: clock.now() });
      }
      return await this.#whole(tx, agent.suffix);
    });
    // Two renames to one slug at the same moment: the unique index lets one through.
    return await renamed.catch((error: unknown) => {
      throw isUniqueViolation(error) ? new DeliveryError('slug_taken') : error;
    });
  }

  async delete(ownerId: string, ref: string): Promise<void> {
    const { database, clock, jobs, identity, sessions, observer, settings } = this.#options;
    const agent = await this.own(ownerId, ref);
    await database.write(async (tx) => {
      await lockAgent(tx, agent);
      if (!(await deleteAgent(identity, tx, agent))) return;
      const now = clock.now();
      // First the sessions, then the row, as a beat takes them.
      await sessions.detachAll(tx, agent, 'agent_deleted');
      await markRowDeleted(tx, ownerId, agent.suffix, now);
      await observer.agentDeleted(tx, agent.suffix);
      const dueAt = now + settings.agentTombstoneMs;
      await jobs.enqueue(tx, REMOVAL, { suffix: agent.suffix }, { key: agent.suffix, dueAt });
    });
  }

  /** A background handler speaks for the agent. Returns the server's time. */
  async backgroundBeat(ownerId: string, ref: string): Promise<number> {
    const { database, clock } = this.#options;
    const agent = await this.own(ownerId, ref);
    const now = clock.now();
    await database.write((tx) => touchBackground(tx, agent.suffix, now));
    return now;
  }

  async secret(ownerId: string, ref: string): Promise<string> {
    const agent = await this.own(ownerId, ref);
    const found = await this.#options.secrets.read(this.#options.database.read, agent.suffix);
    if (!found) throw new DeliveryError('no_webhook_secret');
    return found.current;
  }

  async rotateSecret(
    ownerId: string,
    ref: string,
    overlapSeconds: number,
  ): Promise<{ secret: string; previousUntil: number | null }> {
    const agent = await this.own(ownerId, ref);
    return await this.#options.database.write(async (tx) => {
      await lockAgent(tx, agent);
      if ((await this.#record(tx, agent.suffix)).webhookUrl === null)
        throw new DeliveryError('no_webhook_url');
      return await this.#options.secrets.rotate(tx, agent.suffix, overlapSeconds);
    });
  }

  async #store(
    tx: Tx,
    record: AgentRecord,
    settings: AgentSettings,
    { checkContact }: { checkContact: boolean },
  ): Promise<void> {
    await writeSettings(tx, record.ownerId, record.suffix, settings);
    if (!checkContact) return;
    const whole = await this.#whole(tx, record.suffix);
    checkPreferredContact(settings.preferred, this.#options.view.capabilities(whole));
  }

  async #record(tx: Tx, suffix: string): Promise<AgentRecord> {
    const record = await agentRecord(tx, suffix);
    if (!record || record.deletedAt !== null) throw new DeliveryError('agent_not_found');
    return record;
  }

  async #whole(tx: Tx, suffix: string): Promise<WholeAgent> {
    const [whole] = await this.#options.view.whole(tx, [await this.#record(tx, suffix)]);
    if (!whole) throw new DeliveryError('agent_not_found');
    return whole;
  }

  /** A warning when the URL may be stored but leads nowhere yet. */
  async #checkedUrl(url: string | null | undefined): Promise<string | null> {
    if (url == null) return null;
    const verdict = await this.#options.checkUrl(url);
    if (!verdict.ok) throw new DeliveryError('invalid_callback_url', `webhook_url: ${verdict.detail}`);
    return verdict.warning ?? null;
  }

  /** A background agent of the same owner that is nobody's sibling itself. */
  async #parent(ownerId: string, ref: string): Promise<AgentRef> {
    const parent = await this.own(ownerId, ref).catch((error: unknown) => {
      throw error instanceof DeliveryError ? new DeliveryError('invalid_parent_agent', error.message) : error;
    });
    const record = await agentRecord(this.#options.database.read, parent.suffix);
    if (!record || record.parent !== null) {
      throw new DeliveryError(
        'invalid_parent_agent',
        'the parent is itself the live sibling of another agent',
      );
    }
    return parent;
  }
}

const lockAgent = (tx: Tx, { suffix }: AgentRef): Promise<void> => tx.lock(`delivery.agent:${suffix}`);
