import { hash } from 'node:crypto';
import type {
  DirectoryAnswer,
  PresenceAnswer,
  RosterAgent,
  RosterAnswer,
} from '@parley/protocol/delivery/types';
import { iso } from '../../wire/delivery/times.ts';
import type { AgentsContext } from '../agents-context.ts';
import { bucketedSeen, derivedStatus, lastSeenRelative } from './presence.ts';
import { allAgentRecords } from './agent-store.ts';
import {
  capabilitiesOf,
  sessionAnswers,
  sessionAsked,
  sharedFields,
  type WholeAgent,
  wholeAgents,
} from './agent-view.ts';

/** The agents of an owner as a whole: for programs with everything. */
export async function directoryOf(context: AgentsContext, ownerId: string): Promise<DirectoryAnswer> {
  const now = context.clock.now();
  const agents = (await allAgents(context, ownerId)).map((agent) => ({
    ...sharedFields(context, agent),
    ...seenFields(agent, now),
    last_seen_relative: lastSeenRelative(agent.record.lastSeenAt, now),
  }));
  return { agents, total: agents.length };
}

/** For display, without anything secret. */
export async function rosterOf(context: AgentsContext, ownerId: string): Promise<RosterAnswer> {
  const now = context.clock.now();
  const agents = (await allAgents(context, ownerId)).map((agent) => rosterEntry(agent, now));
  // Relative times change by themselves; a copy that is otherwise the same is still good.
  const etag = etagOf(agents.map((agent) => ({ ...agent, last_seen_relative: undefined })));
  return { generated_at: iso(now), etag, agents };
}

export function presenceOf(context: AgentsContext, agent: WholeAgent): PresenceAnswer {
  const now = context.clock.now();
  const chosen = sessionAsked(context, agent);
  const sessions = sessionAnswers(context, agent).map((session) => ({
    label: session.label,
    cue_id: session.cue_id,
    task_name: session.task_name,
    heartbeat_age_sec: session.heartbeat_age_sec,
    monitor_version: session.monitor_version,
  }));
  const answer = {
    slug: agent.details.slug,
    ...seenFields(agent, now),
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

async function allAgents(context: AgentsContext, ownerId: string): Promise<WholeAgent[]> {
  const { read } = context.database;
  const agents = await wholeAgents(context, read, await allAgentRecords(read, ownerId));
  return agents.toSorted((a, b) => (a.details.slug < b.details.slug ? -1 : 1));
}

function seenFields({ record }: WholeAgent, now: number) {
  const derived = derivedStatus(record.status, record.lastSeenAt, now);
  return {
    online: derived === 'online',
    derived_status: derived,
    bucketed_seen: bucketedSeen(record.lastSeenAt),
  };
}

function rosterEntry(agent: WholeAgent, now: number): RosterAgent {
  const { details, record } = agent;
  const seen = seenFields(agent, now);
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
    delivery_capabilities: [...capabilitiesOf(agent)],
    live_attached: agent.sessions.length > 0,
  };
}

/** What the agent was registered with, then what its profile says. */
function descriptionOf({ metadata, profile }: WholeAgent['record']): string | null {
  const { description } = metadata;
  return typeof description === 'string' && description !== '' ? description : profile.specialization;
}

const etagOf = (material: unknown): string =>
  `W/"${hash('sha256', JSON.stringify(material), 'hex').slice(0, 32)}"`;
