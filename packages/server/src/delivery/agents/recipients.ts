import type { Agents } from '../../identity/agents.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { beatState } from '../freshness.ts';
import type { AttachedSession, BackgroundTarget, ParentTarget, Recipient, Recipients } from '../recipient.ts';
import type { DeliverySettings } from '../settings.ts';
import type { LiveSessions } from '../sessions/live-sessions.ts';
import type { SessionClerk } from '../sessions/session.ts';
import { attachedSessions, type SessionRow } from '../sessions/session-store.ts';
import type { AgentRecord } from './agent-record.ts';
import { agentRecord, touchBackground } from './agent-store.ts';
import type { AgentView } from './agent-view.ts';
import { handledAgents } from './handlers.ts';
import type { LastSeen } from './last-seen.ts';

export interface RecipientDeskOptions {
  clock: Clock;
  settings: DeliverySettings;
  directory: Agents;
  lastSeen: LastSeen;
  view: AgentView;
  clerk: SessionClerk;
  sessions: LiveSessions;
}

/** Agents as messages see them. */
export class RecipientDesk implements Recipients {
  readonly #options: RecipientDeskOptions;

  constructor(options: RecipientDeskOptions) {
    this.#options = options;
  }

  async find(reader: Reader, suffix: string): Promise<Recipient | undefined> {
    const { view, settings } = this.#options;
    const record = await present(reader, suffix);
    const [whole] = record ? await view.whole(reader, [record]) : [];
    if (!record || !whole) return undefined;
    return {
      suffix,
      ownerId: record.ownerId,
      ownerSlug: whole.ownerSlug,
      slug: whole.details.slug,
      capabilities: view.capabilities(whole),
      preferred: record.preferred,
      webhookUrl: record.webhookUrl,
      inboundPolicy: record.inboundPolicy ?? settings.inboundPolicy,
      inboundAllow: record.inboundAllow,
      background: this.#background(record),
      parent: record.parent === null ? null : await this.#parent(reader, record.parent),
      sessions: this.#attached(whole.sessions),
    };
  }

  async sessions(reader: Reader, suffix: string): Promise<readonly AttachedSession[]> {
    return this.#attached(await attachedSessions(reader, suffix));
  }

  async addresses(reader: Reader, suffixes: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { directory } = this.#options;
    const agents = [...(await directory.details(reader, suffixes)).values()];
    const owners = await directory.ownerSlugs(
      reader,
      agents.map(({ ownerId }) => ownerId),
    );
    return new Map(
      agents.map(({ suffix, slug, ownerId }) => [suffix, `${slug}@${owners.get(ownerId) ?? ''}`]),
    );
  }

  async handlersBeat(tx: Tx, ownerId: string, handlers: readonly string[]): Promise<void> {
    const now = this.#options.clock.now();
    for (const suffix of await handledAgents(tx, this.#options.directory, ownerId, handlers)) {
      await touchBackground(tx, suffix, now);
    }
  }

  seen(suffix: string): void {
    this.#options.lastSeen.note(suffix);
  }

  holdSession(tx: Tx, sessionId: string): Promise<boolean> {
    return this.#options.sessions.hold(tx, sessionId);
  }

  lockSessions(tx: Tx, suffix: string): Promise<void> {
    return this.#options.sessions.lock(tx, suffix);
  }

  claimed(tx: Tx, sessionId: string): Promise<void> {
    return this.#options.sessions.claimed(tx, sessionId);
  }

  async #parent(reader: Reader, suffix: string): Promise<ParentTarget | null> {
    const { view } = this.#options;
    const record = await present(reader, suffix);
    const [whole] = record ? await view.whole(reader, [record]) : [];
    if (!record || !whole) return null;
    return {
      suffix,
      takesBg: view.capabilities(whole).includes('bg'),
      background: this.#background(record),
    };
  }

  #background({ bgTask, bgBeatAt }: AgentRecord): BackgroundTarget {
    const { clock, settings } = this.#options;
    return {
      task: bgTask,
      beat: beatState(bgBeatAt, clock.now(), settings.heartbeatThresholdMs),
      beatAt: bgBeatAt,
    };
  }

  #attached(rows: readonly SessionRow[]): AttachedSession[] {
    const now = this.#options.clock.now();
    return rows.map((row) => this.#options.clerk.attached(row, now));
  }
}

async function present(reader: Reader, suffix: string): Promise<AgentRecord | undefined> {
  const record = await agentRecord(reader, suffix);
  return record?.deletedAt === null ? record : undefined;
}
