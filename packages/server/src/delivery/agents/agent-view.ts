import type { AgentAnswer, LiveSessionAnswer } from '@parley/protocol/delivery/types';
import type { Channel } from '@parley/protocol/delivery/vocabulary';
import type { AgentDetails } from '../../identity/agents/agent-details.ts';
import type { Agents } from '../../identity/agents/agents.ts';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Reader } from '../../platform/database/database.ts';
import { effectiveCapabilities } from './capabilities.ts';
import { ageMs, targetSession } from '../routing/freshness.ts';
import { profileAnswer } from './profile.ts';
import type { DeliverySettings } from '../settings.ts';
import { seconds, type SessionView } from '../sessions/session.ts';
import { attachedSessionsOf, type SessionRow } from '../sessions/session-store.ts';
import type { AgentRecord } from './agent-record.ts';
import { type LastSeen, latestOf } from './last-seen.ts';

/** An agent with everything that is kept about it in one place. */
export interface WholeAgent {
  readonly details: AgentDetails;
  readonly record: AgentRecord;
  readonly ownerSlug: string;
  /** The attached ones, newest first. */
  readonly sessions: readonly SessionRow[];
}

export interface AgentViewOptions {
  directory: Agents;
  sessionView: SessionView;
  clock: Clock;
  settings: DeliverySettings;
  lastSeen: LastSeen;
}

/** Puts agents together and shows them. */
export class AgentView {
  readonly #options: AgentViewOptions;

  constructor(options: AgentViewOptions) {
    this.#options = options;
  }

  /** In the order of the records. */
  async whole(reader: Reader, records: readonly AgentRecord[]): Promise<WholeAgent[]> {
    const { directory, lastSeen } = this.#options;
    const suffixes = records.map(({ suffix }) => suffix);
    const [details, owners, sessions] = await Promise.all([
      directory.bySuffix(suffixes, reader),
      directory.ownerSlugs(
        reader,
        records.map(({ ownerId }) => ownerId),
      ),
      attachedSessionsOf(reader, suffixes),
    ]);
    return records.flatMap((record) => {
      const known = details.get(record.suffix);
      const ownerSlug = owners.get(record.ownerId);
      if (!known || ownerSlug === undefined) return [];
      const own = sessions.filter(({ agent }) => agent === record.suffix);
      const lastSeenAt = latestOf(lastSeen, record.suffix, record.lastSeenAt);
      return [{ details: known, record: { ...record, lastSeenAt }, ownerSlug, sessions: own }];
    });
  }

  capabilities({ record, sessions }: Pick<WholeAgent, 'record' | 'sessions'>): readonly Channel[] {
    return effectiveCapabilities({
      declared: record.declared,
      hasWebhookUrl: record.webhookUrl !== null,
      liveAttached: sessions.length > 0,
      bgSeen: record.bgBeatAt !== null,
    });
  }

  /** Fields that the answer for an agent and its entry in the directory share. */
  shared(agent: WholeAgent) {
    const { settings } = this.#options;
    const { details, record, ownerSlug } = agent;
    return {
      id: settings.spellAgent(record.suffix),
      slug: details.slug,
      address: `${details.slug}@${ownerSlug}`,
      display_name: details.name,
      profile: profileAnswer(record.profile),
      delivery_capabilities: [...this.capabilities(agent)],
      capabilities_declared: record.declared !== null,
      preferred_contact: record.preferred,
      status: record.status,
      live_attached: agent.sessions.length > 0,
      heartbeat_age_sec: this.heartbeatAge(agent),
      last_seen_at: isoOrNull(record.lastSeenAt),
      live_sessions: this.sessions(agent),
    };
  }

  answer(agent: WholeAgent, webhookSecret: string | null = null): AgentAnswer {
    const { settings } = this.#options;
    const { details, record, ownerSlug } = agent;
    return {
      ...this.shared(agent),
      user_id: record.ownerId,
      owner: ownerSlug,
      webhook_url: record.webhookUrl,
      webhook_secret: webhookSecret,
      metadata: record.metadata,
      parent_agent_id: record.parent === null ? null : settings.spellAgent(record.parent),
      inbound_policy: record.inboundPolicy ?? settings.inboundPolicy,
      inbound_allow: [...record.inboundAllow],
      bg_task: record.bgTask,
      deleted_at: isoOrNull(details.deletedAt),
      created_at: iso(details.createdAt),
      updated_at: iso(details.updatedAt),
    };
  }

  sessions({ sessions }: WholeAgent): LiveSessionAnswer[] {
    const { sessionView, clock } = this.#options;
    const now = clock.now();
    return sessions.map((session) => sessionView.answer(session, now));
  }

  /** Of the session that an offer would go to. */
  heartbeatAge({ sessions }: WholeAgent): number | null {
    const { sessionView, clock } = this.#options;
    const now = clock.now();
    const attached = sessions.map((session) => sessionView.attached(session, now));
    const target = targetSession(attached, null);
    return target ? seconds(ageMs(target.beatAt, now)) : null;
  }
}
