import { z } from 'zod';
import { listRow } from '../continuity/list-answers.ts';
import { HEALTH_STATUSES, SUBJECT_KINDS } from '../continuity/vocabulary.ts';
import { handoff, reconciliation, sharedState } from '../coordination/artifacts.ts';
import { time } from '../delivery/fields.ts';
import { MAX_CRON, MAX_TIMEZONE } from '../delivery/limits.ts';
import { CUE_STATUSES, CUE_TRANSPORTS } from '../delivery/vocabulary.ts';
import { scheduleItem } from '../schedule/item.ts';
import { next, owner, paged } from './fields.ts';
import { EXCHANGED_KINDS, SCHEDULE_SIDES, SUBJECT_ORDERS } from './kept-words.ts';

/** By address; only what this agent wrote or asked for. */
const agent = z.string().max(200).optional();

export const memoryQuery = z.object({
  ...paged,
  owner,
  agent,
  kind: z.enum(SUBJECT_KINDS).optional(),
  health: z.enum(HEALTH_STATUSES).optional(),
  order: z.enum(SUBJECT_ORDERS).default('salience'),
});

/** A capsule as the list of its owner shows it; the descriptor is null where the person may not read texts. */
export const keptSubject = listRow.extend({ owner: z.string(), written_by: z.string() });
export const memoryAnswer = z.object({ subjects: z.array(keptSubject), next });

export const scheduleQuery = z.object({
  ...paged,
  owner,
  agent,
  side: z.enum(SCHEDULE_SIDES).default('open'),
});

/** Without title and note where the person may not read texts. */
export const keptItem = scheduleItem.extend({ owner: z.string() });
export const scheduleAnswer = z.object({ items: z.array(keptItem), next });

export const coordinationQuery = z.object({
  ...paged,
  owner,
  kind: z.enum(EXCHANGED_KINDS).default('handoff'),
  status: z.string().max(40).optional(),
});

/** One of the three is there, unless the person may not read texts. */
export const keptExchange = z.object({
  id: z.string(),
  owner: z.string(),
  kind: z.enum(EXCHANGED_KINDS),
  status: z.string().nullable(),
  at: z.string(),
  from: z.string(),
  to: z.array(z.string()),
  handoff: handoff.nullable(),
  shared: sharedState.nullable(),
  reconciliation: reconciliation.nullable(),
});
export const coordinationAnswer = z.object({ exchanges: z.array(keptExchange), next });

export const cuesQuery = z.object({ ...paged, owner, agent, status: z.enum(CUE_STATUSES).optional() });

/** A cue without what it says. */
export const listedCue = z.object({
  id: z.string(),
  owner: z.string(),
  name: z.string(),
  status: z.enum(CUE_STATUSES),
  /** One of the two. */
  cron: z.string().nullable(),
  at: time.nullable(),
  timezone: z.string(),
  transport: z.enum(CUE_TRANSPORTS),
  /** By address; null: a worker or a callback is meant. */
  agent: z.string().nullable(),
  next_run: time.nullable(),
  /** The next five. */
  times: z.array(z.object({ at: time, local: z.string() })),
  created_at: time,
});
export const cuesAnswer = z.object({ cues: z.array(listedCue), next });

export const comingQuery = z.object({ owner, agent });
export const comingAnswer = z.object({
  since: time,
  until: time,
  fires: z.array(
    z.object({
      at: time,
      cue_id: z.string(),
      cue: z.string(),
      owner: z.string(),
      agent: z.string().nullable(),
    }),
  ),
});

export const nextTimesQuery = z.object({
  cron: z.string().max(MAX_CRON),
  timezone: z.string().max(MAX_TIMEZONE).default('UTC'),
});
export const nextTimesAnswer = z.object({ times: z.array(z.object({ at: time, local: z.string() })) });
