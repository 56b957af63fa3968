import { z } from 'zod';
import { isObject } from '../../json.ts';
import {
  agentRef,
  bytes,
  DEFAULT_FALLBACK,
  DEFAULT_MODE,
  deliveryMode,
  instant,
  jsonObject,
  line,
  liveFallbackMode,
  orElse,
  page,
  queryFlag,
  queryWhole,
  text,
} from '../fields.ts';
import {
  DEFAULT_PRIORITY,
  MAX_CORRELATION_ID,
  MAX_LABEL,
  MAX_MESSAGE_BYTES,
  MAX_NOTIFY,
  MAX_PRIORITY,
  MAX_SUBJECT,
  MAX_TTL_SECONDS,
  MAX_WAIT_SECONDS,
  MIN_PRIORITY,
  MIN_TTL_SECONDS,
  PAGES,
} from '../limits.ts';
import { ATTACHMENTS } from '../vocabulary.ts';

const messageText = bytes(MAX_MESSAGE_BYTES);

/** The text may come as `body` or as `message`; the handler sees `body` only. */
export const messageCreate = z
  .strictObject({
    to: agentRef,
    body: messageText.nullable().optional(),
    message: messageText.nullable().optional(),
    from: agentRef.nullable().optional(),
    subject: text(MAX_SUBJECT).nullable().optional(),
    delivery_mode: orElse(deliveryMode, DEFAULT_MODE),
    live_fallback_mode: orElse(liveFallbackMode, DEFAULT_FALLBACK),
    live_label: line(MAX_LABEL).nullable().optional(),
    reply_to: z.string().max(64).nullable().optional(),
    reply_to_agent: agentRef.nullable().optional(),
    priority: orElse(z.int().min(MIN_PRIORITY).max(MAX_PRIORITY), DEFAULT_PRIORITY),
    expects_reply: orElse(z.boolean(), false),
    metadata: orElse(jsonObject, {}),
    correlation_id: text(MAX_CORRELATION_ID).nullable().optional(),
    send_at: instant.nullable().optional(),
    ttl_seconds: z.int().min(MIN_TTL_SECONDS).max(MAX_TTL_SECONDS).nullable().optional(),
    expires_at: instant.nullable().optional(),
    notify: orElse(z.array(agentRef).max(MAX_NOTIFY), []),
    attach: z.enum(ATTACHMENTS).nullable().optional(),
  })
  .refine(({ body, message }) => body != null || message != null, {
    path: ['body'],
    error: 'is required',
    // Said together with whatever else is wrong, as for `to`.
    when: ({ value }) => isObject(value),
  })
  .superRefine(({ body, message, ttl_seconds, expires_at }, context) => {
    const problem = (path: string, words: string) =>
      context.addIssue({ code: 'custom', path: [path], message: words });
    if (body != null && message != null && body !== message)
      problem('message', 'must equal body when both are sent');
    if (ttl_seconds != null && expires_at != null) problem('expires_at', 'give it or ttl_seconds, not both');
  })
  .transform(({ body, message, ...rest }) => ({ ...rest, body: body ?? message ?? '' }));

/** States are checked by the handler, which has an error of its own for unknown ones. */
const box = {
  ...page(PAGES.box),
  state: z.string().optional(),
  since: instant.optional(),
  thread_id: z.string().optional(),
  counterpart: agentRef.optional(),
  count_only: queryFlag.default(false),
};

export const inboxQuery = z.object({
  ...box,
  wait: queryWhole(1, MAX_WAIT_SECONDS).optional(),
  peek: queryFlag.default(false),
});

export const sentQuery = z.object(box);

/** A bridge may say what it is called. */
export const messageInvoked = z.strictObject({ bridge: line(MAX_LABEL).nullable().optional() });
