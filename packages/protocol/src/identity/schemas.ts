import { z } from 'zod';
import { SCOPES } from './scopes.ts';
import { SLUG } from './slug.ts';

/** One line of text: no control characters, no halves of a character. */
const ONE_LINE = /^[^\p{Cc}\p{Cs}]*$/u;
const line = (longest: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(longest)
    .regex(ONE_LINE, 'must not hold control characters');

const secret = z.string().trim().min(1, 'must not be empty').max(512);
const time = z.iso.datetime();

/** Seconds during which the old secret stays good beside the new one. */
const overlap = z.object({ overlap_seconds: z.int().min(0).max(86_400).default(0) });

/** A time with an offset, or without one in UTC; comes out as Unix milliseconds. */
const instant = z.iso
  .datetime({ offset: true, local: true, error: 'must be an RFC 3339 time' })
  .transform((text) => Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`));

/** `*` or a path prefix. A trailing slash changes nothing. */
const namespace = z
  .string()
  .trim()
  .max(512)
  .transform((text) => text.replace(/\/+$/, ''))
  .pipe(
    z
      .string()
      .regex(ONE_LINE, 'must not hold control characters')
      .refine(
        (path) => path === '*' || path.split('/').every((part) => !['', '.', '..', '*'].includes(part)),
        'must be * or a relative path',
      ),
  );
const namespaces = z.array(namespace).max(64).optional();

export const invite = secret.optional();

export const agentRegistration = z.object({ name: line(80), invite });
export const agentRegistered = z.object({ agent_id: z.string(), api_key: z.string() });

/** Of any length: an overlong key is an unknown one. */
export const login = z.object({ api_key: z.string().trim().min(1, 'must not be empty') });
export const loggedIn = z.object({ session_token: z.string(), agent_id: z.string(), expires_at: time });

export const ownerRegistration = z.object({
  email: z.string().trim().max(254).pipe(z.email('must be an email address')),
  invite,
});
export const ownerRegistered = z.object({
  api_key: z.string(),
  email: z.string(),
  slug: z.string(),
  id: z.string(),
});

const count = z.int();
const limit = z.int().nullable();
export const account = z.object({
  id: z.string(),
  email: z.string().nullable(),
  slug: z.string(),
  plan: z.string(),
  active_cues: count,
  active_cue_limit: limit,
  executions_this_month: count,
  monthly_execution_limit: limit,
  messages_this_month: count,
  monthly_message_limit: limit,
  rate_limit_per_minute: limit,
  has_webhook_secret: z.boolean(),
  api_key_prefix: z.string(),
});

export const accountPatch = z.object({
  email: ownerRegistration.shape.email.optional(),
  alert_webhook_url: z.string().trim().max(2048).nullable().optional(),
  slug: z
    .string()
    .trim()
    .toLowerCase()
    .regex(SLUG, 'must be lower-case letters, digits and inner dashes')
    .optional(),
});
export const accountPatched = z.object({ updated_at: time, warning: z.string().optional() });

export const keyRegenerated = z.object({ api_key: z.string(), previous_key_revoked: z.literal(true) });

export const secretRotation = overlap;
export const webhookSecret = z.object({ webhook_secret: z.string() });
export const alertWebhookSecret = z.object({ alert_webhook_secret: z.string() });
const rotated = { previous_secret_revoked: z.boolean(), previous_valid_until: time.optional() };
export const webhookSecretRotated = webhookSecret.extend(rotated);
export const alertWebhookSecretRotated = alertWebhookSecret.extend(rotated);

/** Strict, for a key is all-powerful unless told otherwise: a misspelt limit must not be taken for none. */
export const keyRequest = z.strictObject({
  label: line(100).nullable().optional(),
  agent: z.string().trim().min(1).max(200).nullable().optional(),
  scopes: z.array(z.enum(SCOPES)).max(SCOPES.length).optional(),
  read_namespaces: namespaces,
  write_namespaces: namespaces,
  expires_at: instant.nullable().optional(),
});

const shownKey = z.object({
  id: z.string(),
  prefix: z.string(),
  label: z.string().nullable(),
  agent: z.string().nullable(),
  scopes: z.array(z.string()),
  read_namespaces: z.array(z.string()),
  write_namespaces: z.array(z.string()),
  expires_at: time.nullable(),
  created_at: time,
});
export const madeKey = shownKey.extend({ api_key: z.string() });
const listedKey = shownKey.extend({ last_used_at: time.nullable() });

const whole = (text: string) => Number(text);
const queryInteger = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(whole);
export const page = z.object({
  limit: queryInteger.pipe(z.int().min(1).max(100)).default(50),
  offset: queryInteger.default(0),
});
export const keyList = z.object({
  keys: z.array(listedKey),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});

export const whoami = z.object({
  owner: z.object({ id: z.string(), slug: z.string() }),
  agent: z
    .object({ id: z.string(), slug: z.string(), address: z.string(), display_name: z.string() })
    .nullable(),
  peer_id: z.string(),
  credential: z.object({
    kind: z.enum(['api_key', 'session', 'internal', 'console']),
    id: z.string(),
    prefix: z.string(),
    expires_at: time.nullable(),
  }),
  scopes: z.array(z.string()),
  read_namespaces: z.array(z.string()),
  write_namespaces: z.array(z.string()),
});

const share = {
  used: z.number(),
  limit: z.number().nullable(),
  remaining: z.number().nullable(),
};
const period = { start: z.iso.datetime(), end: z.iso.datetime() };

export const usage = z.object({
  plan: z.string(),
  billing_period: z.object({ ...period, days_remaining: z.int() }),
  period: z.object(period),
  cues: z.object({ ...share, percent_used: z.number(), active: z.int() }),
  executions: z.object({
    ...share,
    percent_used: z.number(),
    percentage: z.number(),
    projected_month_end: z.int(),
    will_exceed_limit: z.boolean(),
  }),
  messages: z.object(share),
  outcomes: z.object({ reported: z.int(), succeeded: z.int(), failed: z.int() }),
  rate_limit: z.object({
    requests_per_minute: z.number().nullable(),
    limit: z.number().nullable(),
    current_usage: z.number().nullable(),
  }),
  budgets: z.record(z.string(), z.object({ ...share, setting: z.string() })),
});
