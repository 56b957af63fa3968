import { z } from 'zod';
import { queryWhole, time } from '../delivery/fields.ts';
import { MAX_PRIORITY, MIN_PRIORITY } from '../delivery/limits.ts';
import {
  AGENT_STATUSES,
  EXECUTION_SOURCES,
  EXECUTION_STATUSES,
  MESSAGE_STATES,
  OUTCOME_STATES,
  PROVEN_STAGES,
  TRIGGERS,
} from '../delivery/vocabulary.ts';
import { next, owner, paged } from './fields.ts';
import { REACHES } from './reaches.ts';

export const reachedAgent = z.object({
  id: z.string(),
  address: z.string(),
  owner: z.string(),
  name: z.string(),
  reach: z.enum(REACHES),
  /** Since when whoever takes a message was last heard of. */
  heard_at: time.nullable(),
  last_seen_at: time.nullable(),
  status: z.enum(AGENT_STATUSES),
  waiting: z.int(),
  warning: z.string().nullable(),
});

export const agentsQuery = z.object({ ...paged, owner, q: z.string().max(100).optional() });
/** With when it last wrote a capsule. */
export const listedAgent = reachedAgent.extend({ remembered_at: time.nullable() });
export const agentsAnswer = z.object({ agents: z.array(listedAgent), next });

export const agentRouteAnswer = z.object({
  agent: reachedAgent,
  route: z.string(),
  action: z.string(),
  steps: z.array(z.object({ step: z.string(), result: z.string(), reason: z.string().nullable() })),
});

export const listedMessage = z.object({
  id: z.string(),
  owner: z.string(),
  from: z.string(),
  to: z.string(),
  thread_id: z.string(),
  /** Null too where the person may not read texts. */
  subject: z.string().nullable(),
  priority: z.int(),
  expects_reply: z.boolean(),
  state: z.enum(MESSAGE_STATES),
  proven_stage: z.enum(PROVEN_STAGES),
  error: z.string().nullable(),
  execution_id: z.string(),
  created_at: time,
  updated_at: time,
});

export const messagesQuery = z.object({
  ...paged,
  owner,
  agent: z.string().max(200).optional(),
  thread: z.string().max(100).optional(),
  state: z.enum(MESSAGE_STATES).optional(),
});
export const messagesAnswer = z.object({
  messages: z.array(listedMessage),
  next,
  /** Of the thread that was asked for: since when the loop guard holds it. */
  stopped_at: time.nullable(),
});

/** By its newest message that was asked for; of `messages` and `unread` at most 100 are counted. */
export const listedThread = listedMessage.extend({
  messages: z.int(),
  unread: z.int(),
  /** Since when the loop guard holds it. */
  stopped_at: time.nullable(),
});

export const threadsQuery = z.object({
  ...paged,
  owner,
  agent: z.string().max(200).optional(),
  state: z.enum(MESSAGE_STATES).optional(),
  priority: queryWhole(MIN_PRIORITY, MAX_PRIORITY).optional(),
  /** Somewhere in the subject. */
  q: z.string().max(200).optional(),
});
/** Where `next` is set a page may be short, or empty: no more was looked through at once. */
export const threadsAnswer = z.object({ threads: z.array(listedThread), next });

export const listedExecution = z.object({
  id: z.string(),
  owner: z.string(),
  source: z.enum(EXECUTION_SOURCES),
  cue_id: z.string(),
  message_id: z.string().nullable(),
  agent: z.string().nullable(),
  task: z.string().nullable(),
  status: z.enum(EXECUTION_STATUSES),
  outcome_state: z.enum(OUTCOME_STATES).nullable(),
  triggered_by: z.enum(TRIGGERS),
  attempts: z.int(),
  claimed_by: z.string().nullable(),
  lease_expires_at: time.nullable(),
  error: z.string().nullable(),
  scheduled_for: time,
  created_at: time,
  updated_at: time,
});

export const executionsQuery = z.object({
  ...paged,
  owner,
  /** That one alone. */
  id: z.string().max(100).optional(),
  agent: z.string().max(200).optional(),
  cue: z.string().max(100).optional(),
  status: z.enum(EXECUTION_STATUSES).optional(),
  source: z.enum(EXECUTION_SOURCES).optional(),
});
export const executionsAnswer = z.object({ executions: z.array(listedExecution), next });

const NEED_KINDS = [
  'message_failed',
  'run_failed',
  'lease_lapsed',
  'thread_stopped',
  'alert',
  'webhook_failing',
  'job_dead',
  'disk_low',
  'backup_stale',
] as const;

/** Something that waits for a person. */
export const need = z.object({
  kind: z.enum(NEED_KINDS),
  /** What the action is done to: a message, an execution, a thread, an alert, an endpoint, a job. */
  id: z.string(),
  owner: z.string().nullable(),
  title: z.string(),
  why: z.string().nullable(),
  at: time,
  /** Path of the view that shows it, below `/console`. */
  view: z.string(),
});

export const overviewAnswer = z.object({
  needs: z.array(need),
  awake: z.array(reachedAgent),
  /** Whether there was ever an agent. */
  empty: z.boolean(),
});

const TRAFFIC_WINDOWS = ['1h', '24h', '7d'] as const;
export const trafficQuery = z.object({ window: z.enum(TRAFFIC_WINDOWS).default('24h') });
export const trafficAnswer = z.object({
  since: time,
  step_seconds: z.int(),
  messages: z.array(z.int()),
  turns: z.array(z.int()),
  fires: z.array(z.int()),
  upserts: z.array(z.int()),
  failures: z.array(z.int()),
});

export const searchQuery = z.object({ q: z.string().trim().min(1).max(200) });
export const searchAnswer = z.object({
  results: z.array(z.object({ kind: z.string(), title: z.string(), hint: z.string(), view: z.string() })),
});

export const activityQuery = z.object({
  ...paged,
  /** `operator`, `owner`, or how the address of an agent begins. */
  actor: z.string().max(200).optional(),
  /** What was done: an action of the audit, or the type of an event. */
  kind: z.string().max(60).optional(),
  /** Somewhere in what is shown. */
  q: z.string().max(200).optional(),
});
/** What people did at the console, and what happened to agents. Where `next` is set a page may be short, or empty. */
export const activityAnswer = z.object({
  lines: z.array(
    z.object({
      id: z.string(),
      source: z.enum(['audit', 'event']),
      at: time,
      /** A person by its role, an agent by its address. */
      actor: z.string(),
      owner: z.string().nullable(),
      action: z.string(),
      object: z.string(),
      /** Path of the view that shows the object, below `/console`. */
      view: z.string().nullable(),
    }),
  ),
  next,
});

/** `all`: some of what changed was missed. */
export const changedEvent = z.object({ kinds: z.array(z.string()), at: z.number() });

export const ownerOfAnswer = z.object({ owner: z.string() });
export const ownersQuery = z.object({ q: z.string().max(100).optional() });
export const ownersAnswer = z.object({
  owners: z.array(z.object({ id: z.string(), slug: z.string() })),
  /** There are others, who are found by their names. */
  more: z.boolean(),
});
