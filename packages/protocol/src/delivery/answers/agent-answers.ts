import { z } from 'zod';
import { pageAnswer, time } from '../fields.ts';
import { AGENT_STATUSES, CHANNELS, INBOUND_POLICIES, WORK_STYLES } from '../vocabulary.ts';

const channel = z.enum(CHANNELS);
const workStyle = z.enum(WORK_STYLES);
const seconds = z.number();

export const profile = z.object({
  display_name: z.string().nullable(),
  specialization: z.string().nullable(),
  tools: z.array(z.string()),
  preferred_contact: workStyle.nullable(),
  work_style: workStyle.nullable(),
  agent_card: z.literal(true).optional(),
});

export const liveSession = z.object({
  label: z.string(),
  cue_id: z.string(),
  task_name: z.string(),
  is_default: z.boolean(),
  attached: z.boolean(),
  heartbeat_age_sec: seconds.nullable(),
  fresh: z.boolean(),
  last_claim_at: time.nullable(),
  last_claim_age_sec: seconds.nullable(),
  monitor_version: z.string().nullable(),
  attached_at: time,
  detached_at: time.nullable(),
  detached_reason: z.string().nullable(),
  session_token: z.string().nullable(),
});
export const liveSessionsAnswer = z.array(liveSession);

/** What a directory entry and a whole agent both show. */
const shown = {
  id: z.string(),
  slug: z.string(),
  address: z.string(),
  display_name: z.string(),
  profile,
  delivery_capabilities: z.array(channel),
  capabilities_declared: z.boolean(),
  preferred_contact: channel.nullable(),
  status: z.enum(AGENT_STATUSES),
  live_attached: z.boolean(),
  heartbeat_age_sec: seconds.nullable(),
  last_seen_at: time.nullable(),
  live_sessions: z.array(liveSession),
};

export const agent = z.object({
  ...shown,
  user_id: z.string(),
  owner: z.string(),
  webhook_url: z.string().nullable(),
  webhook_secret: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  parent_agent_id: z.string().nullable(),
  inbound_policy: z.enum(INBOUND_POLICIES),
  inbound_allow: z.array(z.string()),
  bg_task: z.string(),
  deleted_at: time.nullable(),
  created_at: time,
  updated_at: time,
  /** Said once, by the answer to the call that stored the URL. */
  warning: z.string().optional(),
});

export const agentList = z.object({ agents: z.array(agent), ...pageAnswer });

const presenceFields = {
  online: z.boolean(),
  derived_status: z.enum(AGENT_STATUSES),
  bucketed_seen: z.string(),
};

export const directory = z.object({
  agents: z.array(z.object({ ...shown, ...presenceFields, last_seen_relative: z.string() })),
  total: z.int(),
});

/** A display snapshot: no ids, secrets or tokens. `preferred_contact` is the work style here. */
export const rosterEntry = z.object({
  name: z.string(),
  slug: z.string(),
  display_name: z.string(),
  description: z.string().nullable(),
  status: z.enum(AGENT_STATUSES),
  ...presenceFields,
  last_seen_relative: z.string(),
  preferred_contact: workStyle,
  work_style: workStyle,
  preferred_channel: channel.nullable(),
  delivery_capabilities: z.array(channel),
  live_attached: z.boolean(),
});
export const roster = z.object({ generated_at: time, etag: z.string(), agents: z.array(rosterEntry) });

const presentSession = z.object({
  label: z.string(),
  cue_id: z.string(),
  task_name: z.string(),
  heartbeat_age_sec: seconds.nullable(),
  monitor_version: z.string().nullable(),
});
export const presence = z.object({
  slug: z.string(),
  ...presenceFields,
  default_live: presentSession.nullable(),
  labeled_sessions: z.array(presentSession),
  etag: z.string(),
});

export const agentSecret = z.object({ webhook_secret: z.string() });
export const agentSecretRotated = agentSecret.extend({ previous_valid_until: time.nullable() });

export const beatAnswer = z.object({ acknowledged: z.literal(true), server_time: time });
