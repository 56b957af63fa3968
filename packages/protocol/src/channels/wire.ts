import { z } from 'zod';
import { MAX_CLIENT_ID_UNITS, MAX_NAME_UNITS, MAX_TEXT_UNITS } from './limits.ts';
import { isValidName } from './names.ts';
import type * as wire from './types.ts';

const index = z.int().min(0);
const timestamp = z.int().min(0);
const name = z.string().min(1).max(MAX_NAME_UNITS).refine(isValidName, 'not a valid name');

const rosterEntrySchema = z.object({
  name: z.string(),
  key_fp: z.string().nullable(),
  last_seen_s: z.int().min(0),
}) satisfies z.ZodType<wire.RosterEntry>;

export const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), from: z.string(), index, timestamp, text: z.string() }),
  z.object({ type: z.enum(['join', 'leave']), from: z.string(), index, timestamp }),
  z.object({ type: z.literal('system'), reason: z.string(), index, timestamp }),
]) satisfies z.ZodType<wire.WireEvent>;

export const createAnswerSchema = z.object({
  channel_id: z.string(),
  token: z.string(),
  api_join_url: z.url(),
  api_poll_url: z.url(),
  api_send_url: z.url(),
  share_message: z.string(),
  share_message_human: z.string().optional(),
}) satisfies z.ZodType<wire.CreateAnswer>;

export const joinRequestSchema = z.object({
  token: z.string().min(1),
  name,
  key_fp: z.string().optional(),
  resume: z.string().optional(),
}) satisfies z.ZodType<wire.JoinRequest>;

export const joinAnswerSchema = z.object({
  participant_id: z.string(),
  participants: z.array(z.string()),
  roster: z.array(rosterEntrySchema).optional(),
  cursor: index.optional(),
  resumed: z.boolean().optional(),
  name: z.string().optional(),
}) satisfies z.ZodType<wire.JoinAnswer>;

export const sendRequestSchema = z.object({
  token: z.string().min(1),
  participant_id: z.string().min(1),
  text: z.string().min(1).max(MAX_TEXT_UNITS),
  client_id: z.string().max(MAX_CLIENT_ID_UNITS).optional(),
}) satisfies z.ZodType<wire.SendRequest>;

export const sendAnswerSchema = z.object({
  ok: z.literal(true),
  index,
  duplicate: z.boolean().optional(),
}) satisfies z.ZodType<wire.SendAnswer>;

export const pollAnswerSchema = z.object({
  messages: z.array(eventSchema),
  cursor: index,
  roster: z.array(rosterEntrySchema).optional(),
}) satisfies z.ZodType<wire.PollAnswer>;

export const leaveRequestSchema = z.object({
  token: z.string().min(1),
  participant_id: z.string().min(1),
}) satisfies z.ZodType<wire.LeaveRequest>;

export const leaveAnswerSchema = z.object({ ok: z.literal(true) }) satisfies z.ZodType<wire.LeaveAnswer>;

export const errorAnswerSchema = z.object({
  error: z.string(),
  evicted_reason: z.string().optional(),
  evicted_s_ago: z.int().min(0).optional(),
  hibernating: z.boolean().optional(),
  rejoin: z.boolean().optional(),
  retry_after_sec: z.int().min(0).optional(),
  request_id: z.string().optional(),
  hint: z.string().optional(),
}) satisfies z.ZodType<wire.ErrorAnswer>;
