import { z } from 'zod';
import {
  DEFAULT_MAX_TURNS,
  DEFAULT_SEARCH_LIMIT,
  DEFAULT_TTL_SECONDS,
  DEFAULT_TYPING_MS,
  DEFAULT_WEBHOOK_KEY_ID,
  HISTORY_LIMIT,
  MAX_AGENTS,
  MAX_ALLOWED_AGENTS,
  MAX_MAX_TURNS,
  MAX_MESSAGE_CHARS,
  MAX_SEARCH_LIMIT,
  MAX_STREAM_ROOMS,
  MAX_TAG_CHARS,
  MAX_TAGS,
  MAX_TOPIC_CHARS,
  MAX_TTL_SECONDS,
  MAX_TURN_TIMEOUT_SECONDS,
  MAX_TYPING_MS,
  MAX_WEBHOOK_SECRET_CHARS,
  MAX_WEBHOOK_URL_CHARS,
  MIN_AGENTS,
  MIN_TYPING_MS,
  MIN_WEBHOOK_SECRET_CHARS,
} from './limits.ts';

/** Characters are Unicode code points, not UTF-16 units. */
function countChars(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const trimmed = z.string().trim();
const needed = trimmed.min(1, 'is required');
const upTo = (max: number) =>
  needed
    .refine((text) => countChars(text) <= max, `may have at most ${max} characters`)
    .refine((text) => !text.includes('\0'), 'may not contain a NUL character')
    .meta({ maxLength: max });

/** However large: one that is no exact number any more is still whole, and still too large or negative. */
const whole = z.number().refine(Number.isInteger, 'must be a whole number');

/** Absent, null, zero and negative all mean the default; above the bound is refused, never clamped. */
const bounded = (fallback: number, max: number) =>
  whole
    .max(max)
    .nullish()
    .transform((value) => (value !== undefined && value !== null && value > 0 ? value : fallback));

/** For calls that need nothing: an absent body, an empty one and `{}` alike. */
export const noInput = z.object({});

/** Half a character cannot be stored as UTF-8; the first answer shows what all later ones will. */
const shown = (max: number) => upTo(max).transform((text) => text.replace(/\p{Surrogate}/gu, '\ufffd'));

const tags = z
  .array(shown(MAX_TAG_CHARS))
  .max(MAX_TAGS)
  .nullish()
  .transform((given) => [...new Set(given ?? [])]);

export const createListing = z.object({
  topic: shown(MAX_TOPIC_CHARS),
  tags,
  max_turns: bounded(DEFAULT_MAX_TURNS, MAX_MAX_TURNS),
  ttl_seconds: bounded(DEFAULT_TTL_SECONDS, MAX_TTL_SECONDS),
  max_agents: whole
    .min(MIN_AGENTS)
    .max(MAX_AGENTS)
    .nullish()
    .transform((value) => value ?? MIN_AGENTS),
  /** 0: nobody is hurried. */
  turn_timeout_seconds: bounded(0, MAX_TURN_TIMEOUT_SECONDS),
  first_speaker: z
    .enum(['owner', 'peer', 'any'])
    .nullish()
    .transform((value) => value ?? 'owner'),
  /** Given: a private offer to these agents only. */
  allow_agents: z.array(needed).min(1).max(MAX_ALLOWED_AGENTS).nullish(),
});

/** A query value given twice counts as its first. */
const queryText = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((value) => (Array.isArray(value) ? value[0] : value)?.trim() || undefined);

const positiveInteger = (fallback: number, cap: number) =>
  queryText.transform((text, context) => {
    if (text === undefined) return fallback;
    if (/^\d+$/.test(text) && Number(text) > 0) return Math.min(Number(text), cap);
    context.addIssue({ code: 'custom', message: 'must be a positive whole number' });
    return z.NEVER;
  });

export const searchListings = z.object({
  q: queryText,
  limit: positiveInteger(DEFAULT_SEARCH_LIMIT, MAX_SEARCH_LIMIT),
  before: queryText,
});

export const sendMessage = z.object({
  expected_turn: whole.min(0),
  // Too long a text has an error of its own, which the conversation throws.
  ciphertext: needed.meta({ maxLength: MAX_MESSAGE_CHARS }),
  bundle_hash: needed.transform((hash) => hash.toLowerCase()),
});

export const acknowledgeContext = z.object({ turn_index: whole.min(0) });

export const readTranscript = z.object({
  human_code: z
    .string()
    .nullish()
    .transform((code) => code?.trim() ?? ''),
  include: z.array(z.enum(['room'])).nullish(),
});

/** The code of a person; without one the owner's session speaks. */
export const keepRoom = z.object({ human_code: trimmed.nullish() });

/** Secrets in a query string end up in logs, so the code is refused there. */
export const noHumanCodeInQuery = z.object({
  human_code: z.undefined('must be sent in the body, never in the query string').optional(),
});

export const viewerOperation = z.object({
  op: z.enum(['join', 'heartbeat', 'leave']),
  human_code: trimmed.nullish(),
  viewer_token: trimmed.nullish(),
});

const typingWord = trimmed.transform((word) => word.replace(/^typing\./, '')).pipe(z.enum(['start', 'stop']));

/** The words came before the body that carries them, so clients also call the key as other calls of theirs do. */
export const typing = z
  .object({
    state: z.unknown().optional(),
    type: z.unknown().optional(),
    op: z.unknown().optional(),
    ttl_ms: whole
      .min(1)
      .nullish()
      .transform((ms) => Math.min(Math.max(ms ?? DEFAULT_TYPING_MS, MIN_TYPING_MS), MAX_TYPING_MS)),
  })
  .transform(({ state, type, op, ttl_ms }, context) => {
    const word = typingWord.safeParse(state ?? type ?? op);
    if (word.success) return { state: word.data, ttl_ms };
    context.addIssue({ code: 'custom', path: ['state'], message: 'must be start or stop' });
    return z.NEVER;
  });

const eventCursor = queryText.transform((text, context) => {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  context.addIssue({ code: 'custom', message: 'must be a whole number from 0' });
  return z.NEVER;
});

export const eventsQuery = z.object({ since: eventCursor });

export const historyQuery = z.object({
  since: eventCursor,
  limit: positiveInteger(HISTORY_LIMIT, HISTORY_LIMIT),
});

/** Words separated by commas, each of which must be known. */
const wordsOf = <const Words extends readonly string[]>(known: Words) =>
  queryText.transform((text, context): readonly Words[number][] => {
    const words = listOf(text);
    const isKnown = (word: string): word is Words[number] => known.includes(word);
    if (words.every(isKnown)) return words;
    context.addIssue({ code: 'custom', message: `takes any of ${known.join(', ')}` });
    return z.NEVER;
  });

const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

export const viewerEventsQuery = z.object({ include: wordsOf(['messages']), since: eventCursor });

export const agentStreamQuery = z.object({
  last_delivery_id: queryText,
  /** Room frames always come; the others are for wakes of other kinds. */
  include: wordsOf(['rooms', 'messages', 'cues', 'handoffs']),
  /** Only these rooms; all when left out. */
  rooms: queryText.transform((text, context) => {
    const ids = listOf(text);
    if (ids.length <= MAX_STREAM_ROOMS && ids.every((id) => /^room_[\w-]{1,128}$/.test(id))) return ids;
    context.addIssue({ code: 'custom', message: `takes at most ${MAX_STREAM_ROOMS} room ids` });
    return z.NEVER;
  }),
});

export const acknowledgeDelivery = z.object({ delivery_id: needed });

export const createWebhook = z.object({
  url: upTo(MAX_WEBHOOK_URL_CHARS),
  secret: upTo(MAX_WEBHOOK_SECRET_CHARS).refine(
    (secret) => countChars(secret) >= MIN_WEBHOOK_SECRET_CHARS,
    `must have at least ${MIN_WEBHOOK_SECRET_CHARS} characters`,
  ),
  /** It travels in a header. */
  key_id: trimmed
    .regex(/^[\x21-\x7e]{0,64}$/, 'may have at most 64 characters, printable ASCII without spaces')
    .nullish()
    .transform((keyId) => keyId || DEFAULT_WEBHOOK_KEY_ID),
  enabled: z
    .boolean()
    .nullish()
    .transform((enabled) => enabled ?? true),
});

export const blockAgent = z.object({ agent_id: needed });
