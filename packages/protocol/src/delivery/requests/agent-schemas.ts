import { z } from 'zod';
import { SLUG } from '../../identity/slug.ts';
import { agentRef, jsonObject, line, page, queryFlag, text } from '../fields.ts';
import {
  MAX_DISPLAY_NAME,
  MAX_INBOUND_ALLOW,
  MAX_SECRET_OVERLAP_SECONDS,
  MAX_SPECIALIZATION,
  MAX_TASK_NAME,
  MAX_TOOL,
  MAX_TOOLS,
  MAX_WEBHOOK_URL,
  PAGES,
} from '../limits.ts';
import { AGENT_STATUSES, CHANNELS, INBOUND_POLICIES, WORK_STYLES } from '../vocabulary.ts';

const slug = z.string().regex(SLUG, 'must be 1 to 64 lower-case letters, digits and inner dashes');
const displayName = line(MAX_DISPLAY_NAME);
const webhookUrl = z.string().trim().min(1, 'must not be empty').max(MAX_WEBHOOK_URL);

const capabilities = z
  .array(z.enum(CHANNELS))
  .min(1, 'must name at least one channel')
  .max(64)
  .transform((channels) => [...new Set(channels)]);

/** The routing axis. The other axis has the same name on the profile, so a mix-up is answered with the way out. */
const preferredContact = z.enum(
  CHANNELS,
  'must be live, bg, inbox or webhook; for sync or async use profile.work_style',
);

/** The work-style axis: metadata, never read by routing. */
const workStyle = z
  .enum(WORK_STYLES, 'must be sync or async; for a channel use the top-level preferred_contact')
  .nullable()
  .optional();

/** Absent keeps a key, null clears it. Both names of the work style are taken; the service sees that they agree. */
export const profilePatch = z.strictObject({
  display_name: displayName.nullable().optional(),
  specialization: text(MAX_SPECIALIZATION).nullable().optional(),
  tools: z.array(line(MAX_TOOL)).max(MAX_TOOLS).nullable().optional(),
  preferred_contact: workStyle,
  work_style: workStyle,
  /** Whether everybody may read who it is, at `/.well-known/agent-card.json`. */
  agent_card: z.boolean().nullable().optional(),
});

/** What create and patch have in common. */
const settings = {
  webhook_url: webhookUrl.nullable().optional(),
  metadata: jsonObject.optional(),
  delivery_capabilities: capabilities.optional(),
  preferred_contact: preferredContact.nullable().optional(),
  profile: profilePatch.optional(),
  inbound_policy: z.enum(INBOUND_POLICIES).optional(),
  inbound_allow: z.array(agentRef.trim().min(1)).max(MAX_INBOUND_ALLOW).optional(),
  bg_task: line(MAX_TASK_NAME).optional(),
};

/** Clients fill in null for what they do not know; there is nothing to clear yet, so that is the same as nothing. */
export const agentCreate = z
  .strictObject({
    slug: slug.nullish(),
    display_name: displayName.nullish(),
    parent_agent_id: agentRef.nullish(),
    webhook_url: settings.webhook_url,
    metadata: settings.metadata.nullable(),
    delivery_capabilities: settings.delivery_capabilities.nullable(),
    preferred_contact: settings.preferred_contact,
    profile: settings.profile.nullable(),
    inbound_policy: settings.inbound_policy.nullable(),
    inbound_allow: settings.inbound_allow.nullable(),
    bg_task: settings.bg_task.nullable(),
  })
  .transform(
    ({ metadata, delivery_capabilities, profile, inbound_policy, inbound_allow, bg_task, ...rest }) => ({
      ...rest,
      metadata: metadata ?? undefined,
      delivery_capabilities: delivery_capabilities ?? undefined,
      profile: profile ?? undefined,
      inbound_policy: inbound_policy ?? undefined,
      inbound_allow: inbound_allow ?? undefined,
      bg_task: bg_task ?? undefined,
    }),
  );

export const agentPatch = z.strictObject({
  ...settings,
  display_name: displayName.optional(),
  status: z.enum(AGENT_STATUSES).optional(),
});

export const agentRename = z.object({ slug });

/** The status is checked by the handler, which has an error of its own for it. */
export const agentListQuery = z.object({
  ...page(PAGES.agents),
  status: z.string().optional(),
  include_deleted: queryFlag.default(false),
});

export const agentReadQuery = z.object({ include_deleted: queryFlag.default(false) });

export const secretRotation = z.object({
  overlap_seconds: z.int().min(0).max(MAX_SECRET_OVERLAP_SECONDS).default(0),
});

/** A background handler says that it is there. */
export const agentBeat = z.object({ channel: z.literal('bg') });
