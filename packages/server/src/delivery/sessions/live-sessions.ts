import type { Budgets } from '../../config/budgets.ts';
import { mustFit } from '../../wire/delivery/budget.ts';
import { SUFFIX_LENGTH, cueId } from '@parley/protocol/delivery/ids';
import type { LiveSessionAttach, LiveSessionPatch } from '@parley/protocol/delivery/types';
import type { AgentRef } from '../../wire/caller.ts';
import { hashSecret } from '../../platform/auth/secrets.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import { LOWER_ALPHANUMERIC, type Random, uuid } from '../../platform/ids.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { touchSeen } from '../agents/agent-store.ts';
import { recipientRow } from '../agents/recipient-store.ts';
import { ed25519Key } from './attestation.ts';
import { DeliveryError, validationError } from '../../wire/delivery/errors.ts';
import type { EventSink } from '../events/agent-events.ts';
import { sessionAttached, sessionDetached } from '../events/event-payloads.ts';
import type { PushObserver } from '../routing/recipient.ts';
import { slugFromTask } from './slug-from-task.ts';
import type { SessionView } from './session.ts';
import {
  allSessions,
  attachedSession,
  attachedSessions,
  beatSession,
  countAttached,
  holdAttached,
  insertSession,
  markDetached,
  moveDefault,
  noteClaim,
  sessionById,
  type SessionRow,
  setToken,
} from './session-store.ts';

export interface LiveSessionsOptions {
  database: Database;
  clock: Clock;
  random: Random;
  jobs: Jobs;
  sessionView: SessionView;
  autoDetachMs: number;
  budgets: Pick<Budgets, 'liveSessions'>;
  /** Told in the transaction of the change. */
  observer: PushObserver;
  events: EventSink;
  spellAgent: (suffix: string) => string;
}

export type DetachReason = 'detached' | 'heartbeat_lost' | 'agent_deleted';

const SILENCE = 'delivery.session_silence';

/** The monitors that keep an agent's live sessions attached. A session is attached until it detaches or falls silent. */
export class LiveSessions {
  readonly #options: LiveSessionsOptions;

  constructor(options: LiveSessionsOptions) {
    this.#options = options;
    options.jobs.define<{ id: string }>(SILENCE, {
      handler: async ({ payload, retryAt }) => {
        const due = await this.#detachIfSilent(payload.id);
        if (due !== undefined) retryAt(due);
      },
    });
  }

  async attach(agent: AgentRef, ownerSlug: string, wish: LiveSessionAttach): Promise<SessionRow> {
    const { database, clock, jobs, autoDetachMs, observer, budgets, events, spellAgent } = this.#options;
    if (wish.attestation_key != null && ed25519Key(wish.attestation_key) === undefined) {
      throw validationError([{ field: 'body.attestation_key', message: 'must be 32 bytes in base64' }]);
    }
    const now = clock.now();
    const session = this.#newSession(agent, ownerSlug, wish, now);
    await database.write(async (tx) => {
      await lockSessions(tx, agent);
      // A delete detaches under the same lock: a session that came after it would stay.
      if (!(await recipientRow(tx, agent.suffix)))
        throw new DeliveryError('agent_not_found', `agent ${agent.slug} not found`);
      await mustFit(tx, agent.ownerId, budgets.liveSessions, countAttached);
      if (!(await insertSession(tx, session))) throw await conflict(tx, session);
      await touchSeen(tx, new Map([[agent.suffix, now]]));
      await jobs.enqueue(tx, SILENCE, { id: session.id }, { key: session.id, dueAt: now + autoDetachMs });
      events.note(tx, sessionAttached(session, spellAgent));
      await observer.sessionFresh(tx, session);
    });
    return session;
  }

  list(agent: AgentRef, includeDetached: boolean): Promise<SessionRow[]> {
    const { read } = this.#options.database;
    return includeDetached ? allSessions(read, agent.suffix) : attachedSessions(read, agent.suffix);
  }

  /** The attached session of this label. */
  async one(agent: AgentRef, label: string): Promise<SessionRow> {
    return found(await attachedSession(this.#options.database.read, agent.suffix, label));
  }

  patch(agent: AgentRef, label: string, patch: LiveSessionPatch): Promise<SessionRow> {
    const { is_default: isDefault, session_token: token } = patch;
    if (isDefault == null && token == null) throw new DeliveryError('no_mutable_fields');
    if (isDefault === false)
      throw new DeliveryError('invalid_default_flip', 'make another session the default instead');
    const { database, sessionView, observer } = this.#options;
    return database.write(async (tx) => {
      await lockSessions(tx, agent);
      const { id } = found(await attachedSession(tx, agent.suffix, label));
      if (isDefault) {
        await moveDefault(tx, agent.suffix, id);
        await observer.sessionFresh(tx, { id, agent: agent.suffix });
      }
      if (token != null) {
        await setToken(tx, id, { sealed: sessionView.seal(id, token), hash: hashSecret(token) });
      }
      return found(await sessionById(tx, id));
    });
  }

  beat(agent: AgentRef, label: string, monitorVersion: string | null = null): Promise<SessionRow> {
    const { database, clock, sessionView, observer } = this.#options;
    // A sign of life is of the moment it came, however long the store takes.
    const now = clock.now();
    return database.write(async (tx) => {
      const before = found(await attachedSession(tx, agent.suffix, label));
      if (!(await beatSession(tx, before.id, { now, monitorVersion }))) throw notFound();
      await touchSeen(tx, new Map([[agent.suffix, now]]));
      if (!sessionView.isFresh(before, now)) await observer.sessionFresh(tx, before);
      return found(await sessionById(tx, before.id));
    });
  }

  detach(agent: AgentRef, label: string): Promise<SessionRow> {
    return this.#options.database.write(async (tx) => {
      await lockSessions(tx, agent);
      const session = found(await attachedSession(tx, agent.suffix, label));
      await this.#detach(tx, session, 'detached');
      return found(await sessionById(tx, session.id));
    });
  }

  async detachAll(tx: Tx, agent: AgentRef, reason: DetachReason): Promise<void> {
    await lockSessions(tx, agent);
    for (const session of await attachedSessions(tx, agent.suffix)) await this.#detach(tx, session, reason);
  }

  /** A claim is a sign of life. */
  async claimed(tx: Tx, id: string): Promise<void> {
    await noteClaim(tx, id, this.#options.clock.now());
  }

  /** For an offer: false when the session is not attached; else it stays so until the commit. */
  hold(tx: Tx, id: string): Promise<boolean> {
    return holdAttached(tx, this.#options.database.dialect, id);
  }

  /** Nobody attaches or detaches a session of the agent before the commit. */
  lock(tx: Tx, suffix: string): Promise<void> {
    return lockSessions(tx, { suffix });
  }

  async #detach(tx: Tx, session: SessionRow, reason: DetachReason): Promise<void> {
    const { clock, observer, events, spellAgent } = this.#options;
    const at = clock.now();
    if (!(await markDetached(tx, session.id, at, reason))) return;
    events.note(tx, sessionDetached(session, { at, reason }, spellAgent));
    await observer.sessionDetached(tx, session);
  }

  /** When to look again; undefined when there is nothing left to watch. */
  #detachIfSilent(id: string): Promise<number | undefined> {
    const { database, clock, sessionView, autoDetachMs } = this.#options;
    return database.write(async (tx) => {
      const watched = await sessionById(tx, id);
      if (!watched) return undefined;
      await lockSessions(tx, { suffix: watched.agent });
      const session = await sessionById(tx, id);
      if (!session || session.detached_at !== null) return undefined;
      const now = clock.now();
      const due = sessionView.beatAt(session, now) + autoDetachMs;
      if (now < due) return due;
      await this.#detach(tx, session, 'heartbeat_lost');
      return undefined;
    });
  }

  #newSession(agent: AgentRef, ownerSlug: string, wish: LiveSessionAttach, now: number): SessionRow {
    const { random, sessionView } = this.#options;
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
}

const lockSessions = (tx: Tx, { suffix }: Pick<AgentRef, 'suffix'>): Promise<void> =>
  tx.lock(`delivery.sessions:${suffix}`);

const notFound = (): DeliveryError => new DeliveryError('live_session_not_found');

function found(session: SessionRow | undefined): SessionRow {
  if (!session) throw notFound();
  return session;
}

/** Which of the three rules stands against a new session. */
async function conflict(tx: Tx, wanted: SessionRow): Promise<DeliveryError> {
  const attached = await attachedSessions(tx, wanted.agent);
  const obstacle = attached.some(({ label }) => label === wanted.label)
    ? `a session with the label ${wanted.label} is attached`
    : wanted.is_default === 1 && attached.some(({ is_default }) => is_default === 1)
      ? 'the agent has a default session already'
      : 'a session with this cue_id is attached';
  return new DeliveryError('live_session_conflict', obstacle);
}
