import type { AgentCreate, AgentPatch } from '@parley/protocol/delivery/types';
import { RESERVED_AGENT_SLUGS, slugFrom, slugWithTail } from '@parley/protocol/identity/slug';
import type { AgentRef, Caller } from '../../wire/caller.ts';
import { agentNotFound } from '../../identity/agents/agents.ts';
import { deleteAgent, renameAgent, touchAgent } from '../../identity/agents/agent-changes.ts';
import type { Tx } from '../../platform/database/database.ts';
import { isUniqueViolation } from '../../platform/database/errors.ts';
import type { Params } from '../../platform/http/route-table.ts';
import { mustFit } from '../../wire/delivery/budget.ts';
import { checkPreferredContact } from './capabilities.ts';
import { DeliveryError, validationError } from '../../wire/delivery/errors.ts';
import type { AgentsContext } from '../agents-context.ts';
import { checkedUrl } from '../checked-url.ts';
import { detachAll } from '../sessions/live-sessions.ts';
import { agentOfTask } from '../sessions/session-store.ts';
import { type AgentRecord, type AgentSettings, patchSettings } from './agent-record.ts';
import * as store from './agent-store.ts';
import { capabilitiesOf, type WholeAgent, wholeAgents } from './agent-view.ts';
import { formerSlugOf, giveUpSlug, takeSlug } from './former-slug-store.ts';
import type { AgentReach } from './reach.ts';
import { clearSecret, ensureSecret, rotateSecret, webhookSecrets } from './webhook-secrets.ts';

/** An agent after a change, with what is said only once about it. */
export interface ChangedAgent {
  readonly agent: WholeAgent;
  readonly webhookSecret: string | null;
  readonly warning: string | null;
}

const REMOVAL = 'delivery.agent_removal';

/** Agents as receivers: made, changed, renamed, deleted. Identity keeps who they are, this what they can be sent. */
export function receiveAgents({ database, identity, jobs }: AgentsContext): void {
  const { directory } = identity;
  directory.onCreated(async (tx, agent, now) => {
    await store.insertAgentRow(tx, agent, now);
    await takeSlug(tx, agent.ownerId, agent.slug);
  });
  directory.alsoFind((ownerId, slug) => formerSlugOf(database.read, ownerId, slug));
  // Asked after the slugs that were given up by renaming.
  directory.alsoFind((ownerId, slug) => agentOfTask(database.read, ownerId, slug));
  jobs.defineWrite<{ suffix: string }>(REMOVAL, (tx, { suffix }) => store.removeAgentRows(tx, suffix));
}

export async function createAgent(
  context: AgentsContext,
  ownerId: string,
  wish: AgentCreate,
): Promise<ChangedAgent> {
  const { database, identity, settings } = context;
  const { slug: wishedSlug, display_name: displayName, parent_agent_id: parentRef, ...patch } = wish;
  if (wishedSlug != null && RESERVED_AGENT_SLUGS.has(wishedSlug)) throw new DeliveryError('reserved_slug');
  const warning = wish.webhook_url == null ? null : await checkedUrl(context, wish.webhook_url, refusedUrl);
  const parent = parentRef == null ? undefined : await parentOf(context, ownerId, parentRef);
  const name = displayName ?? wish.profile?.display_name ?? wishedSlug ?? (parent && `${parent.name} live`);
  if (name == null) {
    throw validationError([{ field: 'body.display_name', message: 'is required when there is no slug' }]);
  }
  return await database.write(async (tx) => {
    await mustFit(tx, ownerId, settings.budgets.agents, (inside, owner) =>
      identity.directory.count(inside, owner),
    );
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
    const record = await liveRecord(tx, agent.suffix);
    const patched = { ...patchSettings(record, patch), parent: parent?.suffix ?? null };
    await storeSettings(context, tx, record, patched, { checkContact: true });
    const webhookSecret = patched.webhookUrl === null ? null : await ensureSecret(context, tx, agent.suffix);
    return { agent: await whole(context, tx, agent.suffix), webhookSecret, warning };
  });
}

export async function listAgents(
  context: AgentsContext,
  ownerId: string,
  page: store.AgentPage,
): Promise<{ agents: WholeAgent[]; total: number }> {
  const { read } = context.database;
  const { records, total } = await store.listAgentRecords(read, ownerId, page);
  return { agents: await wholeAgents(context, read, records), total };
}

/** One of the owner's agents, in any address form, for a caller that may act on it. */
export async function reachedAgent(
  { identity, reach }: AgentsContext & { readonly reach: AgentReach },
  caller: Caller,
  { ref = '' }: Params,
): Promise<AgentRef> {
  return await identity.directory.resolveOwn(caller.ownerId, await reach.agent(caller, ref));
}

export async function readAgent(
  context: AgentsContext,
  ownerId: string,
  ref: string,
  includeDeleted = false,
): Promise<WholeAgent> {
  const { directory } = context.identity;
  const { suffix } = includeDeleted
    ? await directory.resolveOwnOrDeleted(ownerId, ref)
    : await directory.resolveOwn(ownerId, ref);
  const { read } = context.database;
  const record = await store.agentRecord(read, suffix);
  const [known] = record ? await wholeAgents(context, read, [record]) : [];
  // An agent whose time as a tombstone is over still has its name, and nothing else.
  if (!known) throw agentNotFound(ref);
  return known;
}

export async function patchAgent(
  context: AgentsContext,
  agent: AgentRef,
  patch: AgentPatch,
): Promise<ChangedAgent> {
  const { database, identity } = context;
  const warning = patch.webhook_url == null ? null : await checkedUrl(context, patch.webhook_url, refusedUrl);
  return await database.write(async (tx) => {
    await lockAgent(tx, agent);
    const { display_name: name, ...rest } = patch;
    const record = await liveRecord(tx, agent.suffix);
    const checkContact = patch.delivery_capabilities !== undefined || patch.preferred_contact !== undefined;
    await storeSettings(context, tx, record, patchSettings(record, rest), { checkContact });
    if (patch.webhook_url === null) await clearSecret(tx, agent.suffix);
    else if (patch.webhook_url !== undefined) await ensureSecret(context, tx, agent.suffix);
    await touchAgent(identity, tx, agent, name);
    return { agent: await whole(context, tx, agent.suffix), webhookSecret: null, warning };
  });
}

export async function moveAgent(
  context: AgentsContext,
  ownerId: string,
  ref: string,
  slug: string,
): Promise<WholeAgent> {
  const { database, clock, identity } = context;
  if (RESERVED_AGENT_SLUGS.has(slug)) throw new DeliveryError('reserved_slug');
  const agent = await identity.directory.resolveOwn(ownerId, ref);
  const renamed = database.write(async (tx) => {
    await lockAgent(tx, agent);
    const before =
      (await identity.directory.bySuffix([agent.suffix], tx)).get(agent.suffix)?.slug ?? agent.slug;
    if (slug !== before) {
      await renameAgent(identity, tx, agent, slug);
      await takeSlug(tx, ownerId, slug);
      await giveUpSlug(tx, ownerId, { slug: before, agent: agent.suffix, now: clock.now() });
    }
    return await whole(context, tx, agent.suffix);
  });
  // Two renames to one slug at the same moment: the unique index lets one through.
  return await renamed.catch((error: unknown) => {
    throw isUniqueViolation(error) ? new DeliveryError('slug_taken') : error;
  });
}

export async function removeAgent(context: AgentsContext, agent: AgentRef): Promise<void> {
  const { database, clock, jobs, identity, observers, settings } = context;
  await database.write(async (tx) => {
    await lockAgent(tx, agent);
    if (!(await deleteAgent(identity, tx, agent))) return;
    const now = clock.now();
    // First the sessions, then the row, as a beat takes them.
    await detachAll(context, tx, agent);
    await store.markRowDeleted(tx, agent.ownerId, agent.suffix, now);
    await observers.tell((one) => one.agentDeleted?.(tx, agent.suffix));
    const dueAt = now + settings.agentTombstoneMs;
    await jobs.enqueue(tx, REMOVAL, { suffix: agent.suffix }, { key: agent.suffix, dueAt });
  });
}

/** A background handler speaks for the agent. Returns the server's time. */
export async function backgroundBeat(
  { database, clock }: AgentsContext,
  { suffix }: AgentRef,
): Promise<number> {
  const now = clock.now();
  await database.write((tx) => store.touchBackground(tx, suffix, now));
  return now;
}

export async function readSecret(context: AgentsContext, { suffix }: AgentRef): Promise<string> {
  const found = await webhookSecrets(context, context.database.read, suffix);
  if (!found) throw new DeliveryError('no_webhook_secret');
  return found.current;
}

export async function replaceSecret(
  context: AgentsContext,
  ownerId: string,
  ref: string,
  overlapSeconds: number,
): Promise<{ secret: string; previousUntil: number | null }> {
  const agent = await context.identity.directory.resolveOwn(ownerId, ref);
  return await context.database.write(async (tx) => {
    await lockAgent(tx, agent);
    if ((await liveRecord(tx, agent.suffix)).webhookUrl === null) throw new DeliveryError('no_webhook_url');
    return await rotateSecret(context, tx, agent.suffix, overlapSeconds);
  });
}

async function storeSettings(
  context: AgentsContext,
  tx: Tx,
  record: AgentRecord,
  settings: AgentSettings,
  { checkContact }: { checkContact: boolean },
): Promise<void> {
  await store.writeSettings(tx, record.ownerId, record.suffix, settings);
  if (!checkContact) return;
  checkPreferredContact(settings.preferred, capabilitiesOf(await whole(context, tx, record.suffix)));
}

async function liveRecord(tx: Tx, suffix: string): Promise<AgentRecord> {
  const record = await store.agentRecord(tx, suffix);
  if (!record || record.deletedAt !== null) throw new DeliveryError('agent_not_found');
  return record;
}

async function whole(context: AgentsContext, tx: Tx, suffix: string): Promise<WholeAgent> {
  const [known] = await wholeAgents(context, tx, [await liveRecord(tx, suffix)]);
  if (!known) throw new DeliveryError('agent_not_found');
  return known;
}

const refusedUrl = (why: string): DeliveryError =>
  new DeliveryError('invalid_callback_url', `webhook_url: ${why}`);

/** A background agent of the same owner that is nobody's sibling itself. */
async function parentOf(context: AgentsContext, ownerId: string, ref: string): Promise<AgentRef> {
  const parent = await context.identity.directory.resolveOwn(ownerId, ref).catch((error: unknown) => {
    throw error instanceof DeliveryError ? new DeliveryError('invalid_parent_agent', error.message) : error;
  });
  const record = await store.agentRecord(context.database.read, parent.suffix);
  if (!record || record.parent !== null) {
    throw new DeliveryError('invalid_parent_agent', 'the parent is itself the live sibling of another agent');
  }
  return parent;
}

const lockAgent = (tx: Tx, { suffix }: AgentRef): Promise<void> => tx.lock(`delivery.agent:${suffix}`);
