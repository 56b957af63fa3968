import { fitsAsMetadata } from '@parley/protocol/delivery/fields';
import type { AgentPatch } from '@parley/protocol/delivery/types';
import type { AgentStatus, Channel, InboundPolicy } from '@parley/protocol/delivery/vocabulary';
import { column, type RowOf, table } from '../../platform/database/table.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { EMPTY_PROFILE, mergeProfile, type Profile } from './profile.ts';

/** Lists and objects are JSON text. */
export const agentDeliveryTable = table('agent_delivery', {
  agent: column<string>(),
  owner_id: column<string>(),
  created_at: column<number>(),
  deleted_at: column<number | null>(),
  parent: column<string | null>(),
  status: column<AgentStatus>(),
  capabilities: column<string | null>(),
  preferred_contact: column<Channel | null>(),
  profile: column<string>(),
  metadata: column<string>(),
  webhook_url: column<string | null>(),
  webhook_secret: column<string | null>(),
  previous_webhook_secret: column<string | null>(),
  previous_webhook_secret_until: column<number | null>(),
  inbound_policy: column<InboundPolicy | null>(),
  inbound_allow: column<string>(),
  bg_task: column<string>(),
  bg_beat_at: column<number | null>(),
  last_seen_at: column<number | null>(),
});

export type AgentDeliveryRow = RowOf<typeof agentDeliveryTable>;

/** What delivery keeps about an agent. */
export type AgentRecord = Readonly<ReturnType<typeof recordOf>>;

/** What a request may change of it. */
export type AgentSettings = Omit<AgentRecord, 'suffix' | 'ownerId' | 'deletedAt' | 'bgBeatAt' | 'lastSeenAt'>;

export const defaultSettings = (slug: string): AgentSettings => ({
  parent: null,
  status: 'online',
  declared: null,
  preferred: null,
  profile: EMPTY_PROFILE,
  metadata: {},
  webhookUrl: null,
  inboundPolicy: null,
  inboundAllow: [],
  bgTask: `${slug}-bg`,
});

/** The columns hold what `settingsColumns` put there, so their JSON is ours. */
export function recordOf(row: AgentDeliveryRow) {
  return {
    suffix: row.agent,
    ownerId: row.owner_id,
    deletedAt: row.deleted_at,
    parent: row.parent,
    status: row.status,
    /** Null: never declared. */
    declared: row.capabilities === null ? null : (JSON.parse(row.capabilities) as readonly Channel[]),
    preferred: row.preferred_contact,
    profile: { ...EMPTY_PROFILE, ...(JSON.parse(row.profile) as Partial<Profile>) } satisfies Profile,
    metadata: JSON.parse(row.metadata) as Readonly<Record<string, unknown>>,
    webhookUrl: row.webhook_url,
    /** Null: whatever the server's setting is. */
    inboundPolicy: row.inbound_policy,
    inboundAllow: JSON.parse(row.inbound_allow) as readonly string[],
    bgTask: row.bg_task,
    bgBeatAt: row.bg_beat_at,
    lastSeenAt: row.last_seen_at,
  };
}

export const settingsColumns = (settings: AgentSettings) => ({
  parent: settings.parent,
  status: settings.status,
  capabilities: settings.declared === null ? null : JSON.stringify(settings.declared),
  preferred_contact: settings.preferred,
  profile: JSON.stringify(settings.profile),
  metadata: JSON.stringify(settings.metadata),
  webhook_url: settings.webhookUrl,
  inbound_policy: settings.inboundPolicy,
  inbound_allow: JSON.stringify(settings.inboundAllow),
  bg_task: settings.bgTask,
});

/** By the fields that create and patch have in common. Absent keeps. */
export function patchSettings(
  settings: AgentSettings,
  patch: Omit<AgentPatch, 'display_name'>,
): AgentSettings {
  if (patch.metadata !== undefined && !fitsAsMetadata(patch.metadata))
    throw new DeliveryError('metadata_too_large');
  return {
    ...settings,
    status: patch.status ?? settings.status,
    declared: patch.delivery_capabilities ?? settings.declared,
    preferred: patch.preferred_contact === undefined ? settings.preferred : patch.preferred_contact,
    profile: patch.profile === undefined ? settings.profile : mergeProfile(settings.profile, patch.profile),
    metadata: patch.metadata ?? settings.metadata,
    webhookUrl: patch.webhook_url === undefined ? settings.webhookUrl : patch.webhook_url,
    inboundPolicy: patch.inbound_policy ?? settings.inboundPolicy,
    inboundAllow: patch.inbound_allow ?? settings.inboundAllow,
    bgTask: patch.bg_task ?? settings.bgTask,
  };
}
