import { mustFit } from '../../wire/delivery/budget.ts';
import { SUFFIX_LENGTH, cueId } from '@parley/protocol/delivery/ids';
import type { LiveSessionAttach, LiveSessionPatch } from '@parley/protocol/delivery/types';
import { agentNotFound } from '../../identity/agents/agents.ts';
import type { AgentRef } from '../../wire/caller.ts';
import { hashSecret } from '../../platform/auth/secrets.ts';
import type { Tx } from '../../platform/database/database.ts';
import { LOWER_ALPHANUMERIC, uuid } from '../../platform/ids.ts';
import { touchSeen } from '../agents/agent-store.ts';
import type { AgentsContext } from '../agents-context.ts';
import { recipientRow } from '../agents/recipient-store.ts';
import { ed25519Key } from './attestation.ts';
import { DeliveryError, validationError } from '../../wire/delivery/errors.ts';
import { sessionAttached, sessionDetached } from '../records/event-payloads.ts';
import { slugFromTask } from './slug-from-task.ts';
import * as store from './session-store.ts';

const SILENCE = 'delivery.session_silence';

/** A session is attached until its monitor detaches it or falls silent. */
export function defineSilence(context: AgentsContext): void {
  context.jobs.defineWrite<{ id: string }>(SILENCE, (tx, { id }) => detachIfSilent(context, tx, id));
}

export async function attachSession(
  context: AgentsContext,
  agent: AgentRef,
  ownerSlug: string,
  wish: LiveSessionAttach,
): Promise<store.SessionRow> {
  const { database, clock, jobs, observers, settings, events } = context;
  if (wish.attestation_key != null && ed25519Key(wish.attestation_key) === undefined) {
    throw validationError([{ field: 'body.attestation_key', message: 'must be 32 bytes in base64' }]);
  }
  const now = clock.now();
  const session = newSession(context, agent, ownerSlug, wish, now);
  await database.write(async (tx) => {
    await store.lockSessions(tx, agent.suffix);
    // A delete detaches under the same lock: a session that came after it would stay.
    if (!(await recipientRow(tx, agent.suffix))) throw agentNotFound(agent.slug);
    await mustFit(tx, agent.ownerId, settings.budgets.liveSessions, store.countAttached);
    if (!(await store.insertLiveSession(tx, session))) throw await conflict(tx, session);
    await touchSeen(tx, new Map([[agent.suffix, now]]));
    const { id } = session;
    await jobs.enqueue(tx, SILENCE, { id }, { key: id, dueAt: now + settings.autoDetachMs });
    events.note(tx, sessionAttached(session, settings.spellAgent));
    await observers.tell((one) => one.sessionFresh?.(tx, session));
  });
  return session;
}

export function listSessions(
  context: AgentsContext,
  agent: AgentRef,
  includeDetached: boolean,
): Promise<store.SessionRow[]> {
  const { read } = context.database;
  return includeDetached ? store.allSessions(read, agent.suffix) : store.attachedSessions(read, agent.suffix);
}

/** The attached session of this label. */
export async function sessionLabelled(
  context: AgentsContext,
  agent: AgentRef,
  label: string,
): Promise<store.SessionRow> {
  return found(await store.attachedSession(context.database.read, agent.suffix, label));
}

export function patchSession(
  context: AgentsContext,
  agent: AgentRef,
  label: string,
  patch: LiveSessionPatch,
): Promise<store.SessionRow> {
  const { is_default: isDefault, session_token: token } = patch;
  if (isDefault == null && token == null) throw new DeliveryError('no_mutable_fields');
  if (isDefault === false)
    throw new DeliveryError('invalid_default_flip', 'make another session the default instead');
  const { database, sessionView, observers } = context;
  return database.write(async (tx) => {
    await store.lockSessions(tx, agent.suffix);
    const { id } = found(await store.attachedSession(tx, agent.suffix, label));
    if (isDefault) {
      await store.moveDefault(tx, agent.suffix, id);
      await observers.tell((one) => one.sessionFresh?.(tx, { id, agent: agent.suffix }));
    }
    if (token != null) {
      await store.setToken(tx, id, { sealed: sessionView.seal(id, token), hash: hashSecret(token) });
    }
    return found(await store.sessionById(tx, id));
  });
}

export function beatSession(
  context: AgentsContext,
  agent: AgentRef,
  label: string,
  monitorVersion: string | null = null,
): Promise<store.SessionRow> {
  const { database, clock, sessionView, observers } = context;
  // A sign of life is of the moment it came, however long the store takes.
  const now = clock.now();
  return database.write(async (tx) => {
    const before = found(await store.attachedSession(tx, agent.suffix, label));
    if (!(await store.beatSession(tx, before.id, { now, monitorVersion }))) throw notFound();
    await touchSeen(tx, new Map([[agent.suffix, now]]));
    if (!sessionView.isFresh(before, now)) await observers.tell((one) => one.sessionFresh?.(tx, before));
    return found(await store.sessionById(tx, before.id));
  });
}

export function detachSession(
  context: AgentsContext,
  agent: AgentRef,
  label: string,
): Promise<store.SessionRow> {
  return context.database.write(async (tx) => {
    await store.lockSessions(tx, agent.suffix);
    const session = found(await store.attachedSession(tx, agent.suffix, label));
    await endSession(context, tx, session, 'detached');
    return found(await store.sessionById(tx, session.id));
  });
}

/** The agent is deleted. */
export async function detachAll(context: AgentsContext, tx: Tx, agent: AgentRef): Promise<void> {
  await store.lockSessions(tx, agent.suffix);
  for (const session of await store.attachedSessions(tx, agent.suffix))
    await endSession(context, tx, session, 'agent_deleted');
}

async function endSession(
  context: AgentsContext,
  tx: Tx,
  session: store.SessionRow,
  reason: 'detached' | 'heartbeat_lost' | 'agent_deleted',
): Promise<void> {
  const { clock, observers, events, settings } = context;
  const at = clock.now();
  if (!(await store.markDetached(tx, session.id, at, reason))) return;
  events.note(tx, sessionDetached(session, { at, reason }, settings.spellAgent));
  await observers.tell((one) => one.sessionDetached?.(tx, session));
}

/** When to look again; undefined when there is nothing left to watch. */
async function detachIfSilent(context: AgentsContext, tx: Tx, id: string): Promise<number | undefined> {
  const { clock, sessionView, settings } = context;
  const watched = await store.sessionById(tx, id);
  if (!watched) return undefined;
  await store.lockSessions(tx, watched.agent);
  const session = await store.sessionById(tx, id);
  if (!session || session.detached_at !== null) return undefined;
  const now = clock.now();
  const due = sessionView.beatAt(session, now) + settings.autoDetachMs;
  if (now < due) return due;
  await endSession(context, tx, session, 'heartbeat_lost');
  return undefined;
}

function newSession(
  context: AgentsContext,
  agent: AgentRef,
  ownerSlug: string,
  wish: LiveSessionAttach,
  now: number,
): store.SessionRow {
  const { random, sessionView } = context;
  const id = uuid(random);
  const token = wish.session_token ?? null;
  return {
    id,
    owner_id: agent.ownerId,
    agent: agent.suffix,
    label: wish.label,
    task_name: wish.task_name,
    slug: slugFromTask(wish.task_name, ownerSlug, wish.label),
    cue_id: wish.cue_id ?? cueId(random.text(SUFFIX_LENGTH, LOWER_ALPHANUMERIC)),
    is_default: wish.is_default ? 1 : 0,
    monitor_version: wish.monitor_version ?? null,
    session_token: token === null ? null : sessionView.seal(id, token),
    session_token_hash: token === null ? null : hashSecret(token),
    attestation_key: wish.attestation_key ?? null,
    attached_at: now,
    beat_at: now,
    last_claim_at: null,
    detached_at: null,
    detached_reason: null,
  };
}

const notFound = (): DeliveryError => new DeliveryError('live_session_not_found');

function found(session: store.SessionRow | undefined): store.SessionRow {
  if (!session) throw notFound();
  return session;
}

/** Which of the three rules stands against a new session. */
async function conflict(tx: Tx, wanted: store.SessionRow): Promise<DeliveryError> {
  const attached = await store.attachedSessions(tx, wanted.agent);
  const obstacle = attached.some(({ label }) => label === wanted.label)
    ? `a session with the label ${wanted.label} is attached`
    : wanted.is_default === 1 && attached.some(({ is_default }) => is_default === 1)
      ? 'the agent has a default session already'
      : 'a session with this cue_id is attached';
  return new DeliveryError('live_session_conflict', obstacle);
}
