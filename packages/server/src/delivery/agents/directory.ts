import { hash } from 'node:crypto';
import type {
  DirectoryAnswer,
  PresenceAnswer,
  RosterAnswer,
  RosterEntry,
} from '@parley/protocol/delivery/types';
import { iso } from '../../wire/delivery/times.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { targetSession } from '../routing/freshness.ts';
import { bucketedSeen, derivedStatus, lastSeenRelative } from './presence.ts';
import type { SessionView } from '../sessions/session.ts';
import { allAgentRecords } from './agent-store.ts';
import type { AgentView, WholeAgent } from './agent-view.ts';

export interface DirectoryOptions {
  database: Database;
  clock: Clock;
  view: AgentView;
  sessionView: SessionView;
}

/** The agents of an owner as a whole: for programs with everything, for display without anything secret. */
export class Directory {
  readonly #options: DirectoryOptions;

  constructor(options: DirectoryOptions) {
    this.#options = options;
  }

  async directory(ownerId: string): Promise<DirectoryAnswer> {
    const agents = (await this.#all(ownerId)).map((agent) => ({
      ...this.#options.view.shared(agent),
      ...this.#seen(agent),
      last_seen_relative: lastSeenRelative(agent.record.lastSeenAt, this.#options.clock.now()),
    }));
    return { agents, total: agents.length };
  }

  async roster(ownerId: string): Promise<RosterAnswer> {
    const now = this.#options.clock.now();
    const agents = (await this.#all(ownerId)).map((agent) => this.#rosterEntry(agent, now));
    // Relative times change by themselves; a copy that is otherwise the same is still good.
    const etag = etagOf(agents.map((agent) => ({ ...agent, last_seen_relative: undefined })));
    return { generated_at: iso(now), etag, agents };
  }

  presence(agent: WholeAgent): PresenceAnswer {
    const { view, clock, sessionView } = this.#options;
    const now = clock.now();
    const chosen = targetSession(
      agent.sessions.map((row) => sessionView.attached(row, now)),
      null,
    );
    const sessions = view.sessions(agent).map((session) => ({
      label: session.label,
      cue_id: session.cue_id,
      task_name: session.task_name,
      heartbeat_age_sec: session.heartbeat_age_sec,
      monitor_version: session.monitor_version,
    }));
    const answer = {
      slug: agent.details.slug,
      ...this.#seen(agent),
      default_live: sessions.find(({ label }) => label === chosen?.label) ?? null,
      labeled_sessions: sessions,
    };
    const material = {
      ...answer,
      default_live: chosen?.label ?? null,
      labeled_sessions: sessions.map((session) => ({ ...session, heartbeat_age_sec: undefined })),
    };
    return { ...answer, etag: etagOf(material) };
  }

  async #all(ownerId: string): Promise<WholeAgent[]> {
    const { database, view } = this.#options;
    const agents = await view.whole(database.read, await allAgentRecords(database.read, ownerId));
    return agents.toSorted((a, b) => (a.details.slug < b.details.slug ? -1 : 1));
  }

  #seen({ record }: WholeAgent) {
    const derived = derivedStatus(record.status, record.lastSeenAt, this.#options.clock.now());
    return {
      online: derived === 'online',
      derived_status: derived,
      bucketed_seen: bucketedSeen(record.lastSeenAt),
    };
  }

  #rosterEntry(agent: WholeAgent, now: number): RosterEntry {
    const { details, record } = agent;
    const seen = this.#seen(agent);
    const workStyle = record.profile.workStyle ?? (record.webhookUrl === null ? 'async' : 'sync');
    return {
      name: details.slug,
      slug: details.slug,
      display_name: details.name,
      description: descriptionOf(record),
      status: seen.derived_status,
      ...seen,
      last_seen_relative: lastSeenRelative(record.lastSeenAt, now),
      preferred_contact: workStyle,
      work_style: workStyle,
      preferred_channel: record.preferred,
      delivery_capabilities: [...this.#options.view.capabilities(agent)],
      live_attached: agent.sessions.length > 0,
    };
  }
}

/** What the agent was registered with, then what its profile says. */
function descriptionOf({ metadata, profile }: WholeAgent['record']): string | null {
  const { description } = metadata;
  return typeof description === 'string' && description !== '' ? description : profile.specialization;
}

const etagOf = (material: unknown): string =>
  `W/"${hash('sha256', JSON.stringify(material), 'hex').slice(0, 32)}"`;
