import type { AgentAnswer, LiveSessionAnswer } from '@parley/protocol/delivery/types';
import type { Channel } from '@parley/protocol/delivery/vocabulary';
import { addressOf, type AgentDetails } from '../../identity/agents/agent-details.ts';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import type { Reader } from '../../platform/database/database.ts';
import { effectiveCapabilities } from './capabilities.ts';
import { ageMs, targetSession } from '../routing/freshness.ts';
import { profileAnswer } from './profile.ts';
import type { AgentsContext } from '../agents-context.ts';
import { seconds } from '../sessions/session.ts';
import { attachedSessionsOf, type SessionRow } from '../sessions/session-store.ts';
import type { AgentRecord } from './agent-record.ts';

/** An agent with everything that is kept about it in one place. */
export interface WholeAgent {
  readonly details: AgentDetails;
  readonly record: AgentRecord;
  readonly ownerSlug: string;
  /** The attached ones, newest first. */
  readonly sessions: readonly SessionRow[];
}

/** Puts agents together, in the order of the records. */
export async function wholeAgents(
  { identity, lastSeen }: AgentsContext,
  reader: Reader,
  records: readonly AgentRecord[],
): Promise<WholeAgent[]> {
  const { directory } = identity;
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
    const lastSeenAt = lastSeen.latest(record.suffix, record.lastSeenAt);
    return [{ details: known, record: { ...record, lastSeenAt }, ownerSlug, sessions: own }];
  });
}

export function capabilitiesOf({ record, sessions }: WholeAgent): readonly Channel[] {
  return effectiveCapabilities({
    declared: record.declared,
    hasWebhookUrl: record.webhookUrl !== null,
    liveAttached: sessions.length > 0,
    bgSeen: record.bgBeatAt !== null,
  });
}

/** Fields that the answer for an agent and its entry in the directory share. */
export function sharedFields(agents: AgentsContext, agent: WholeAgent) {
  const { details, record, ownerSlug } = agent;
  return {
    id: agents.settings.spellAgent(record.suffix),
    slug: details.slug,
    address: addressOf(details, ownerSlug),
    display_name: details.name,
    profile: profileAnswer(record.profile),
    delivery_capabilities: [...capabilitiesOf(agent)],
    capabilities_declared: record.declared !== null,
    preferred_contact: record.preferred,
    status: record.status,
    live_attached: agent.sessions.length > 0,
    heartbeat_age_sec: heartbeatAge(agents, agent),
    last_seen_at: isoOrNull(record.lastSeenAt),
    live_sessions: sessionAnswers(agents, agent),
  };
}

export function agentAnswer(
  agents: AgentsContext,
  agent: WholeAgent,
  webhookSecret: string | null = null,
): AgentAnswer {
  const { settings } = agents;
  const { details, record, ownerSlug } = agent;
  return {
    ...sharedFields(agents, agent),
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

export function sessionAnswers(
  { sessionView, clock }: AgentsContext,
  { sessions }: WholeAgent,
): LiveSessionAnswer[] {
  const now = clock.now();
  return sessions.map((session) => sessionView.answer(session, now));
}

/** The session that an offer would go to. */
export const sessionAsked = ({ sessionView, clock }: AgentsContext, { sessions }: WholeAgent) =>
  targetSession(
    sessions.map((session) => sessionView.attached(session, clock.now())),
    null,
  );

function heartbeatAge(agents: AgentsContext, agent: WholeAgent): number | null {
  const asked = sessionAsked(agents, agent);
  return asked ? seconds(ageMs(asked.beatAt, agents.clock.now())) : null;
}
