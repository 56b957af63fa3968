import { z } from 'zod';
import { time } from '../delivery/fields.ts';

const count = z.int();
const amount = z.number();

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;

const node = z.object({
  id: z.string(),
  url: z.string(),
  version: z.string(),
  started_at: time,
  seen_at: time,
  /** Heard of lately. */
  alive: z.boolean(),
  /** The one that answers. */
  self: z.boolean(),
});

const statement = z.object({
  text: z.string(),
  count,
  mean_ms: amount,
  longest_ms: amount,
  last_at: time,
});

/** One value a minute; oldest first. Null: not known. */
const history = z.array(amount.nullable());

export const systemAnswer = z.object({
  version: z.string(),
  node_version: z.string(),
  started_at: time,
  log_level: z.enum(LOG_LEVELS),
  registration: z.string(),
  database: z.object({
    kind: z.enum(['sqlite', 'postgres']),
    bytes: count.nullable(),
    slowest: z.array(statement),
  }),
  queues: z.array(z.object({ kind: z.string(), waiting: count, due: count, next_at: time })),
  dead_jobs: count,
  nodes: z.array(node),
  memory: z.object({ rss: count, heap_used: count, heap_limit: count }),
  loop: z.object({ delay_p99_ms: amount, delay_max_ms: amount, busy: amount }),
  disk: z.object({ free_bytes: count.nullable(), least_bytes: count, low: z.boolean() }),
  channels: z.object({ awake: count, asleep: count, bytes: count }),
  history: z.object({
    since: time,
    step_seconds: count,
    memory: history,
    delay: history,
    waiting: history,
    disk: history,
    database: history,
  }),
});

const settingValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.string()),
  z.record(z.string(), z.number()),
]);

export const settingsAnswer = z.object({
  settings: z.array(
    z.object({
      name: z.string(),
      value: settingValue,
      /** `program`: by whatever started the server from within. */
      from: z.enum(['flag', 'environment', 'file', 'default', 'program']),
      flag: z.string(),
      variable: z.string(),
      help: z.string(),
    }),
  ),
});

export const deadJobsAnswer = z.object({
  jobs: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      key: z.string().nullable(),
      attempts: count,
      error: z.string().nullable(),
      died_at: time,
    }),
  ),
  count,
});

export const jobRetried = z.object({ id: z.string(), status: z.literal('queued') });

const backup = z.object({ name: z.string(), bytes: count, made_at: time });

export const backupMade = backup;
export const backupsAnswer = z.object({
  /** False on PostgreSQL, where the command line does it. */
  supported: z.boolean(),
  /** Whether this person may take them along: a backup holds everything. */
  downloads: z.boolean(),
  backups: z.array(backup),
});

export const inviteMade = z.object({ code: z.string(), expires_at: time });

export const logLevelAsked = z.strictObject({ level: z.enum(LOG_LEVELS) });
export const logLevelSet = z.object({ level: z.enum(LOG_LEVELS) });
