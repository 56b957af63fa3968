import type { AgentPatch } from '@parley/protocol/delivery/types';
import { fitsAsMetadata } from '@parley/protocol/delivery/fields';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { mergeProfile } from './profile.ts';
import type { AgentSettings } from './agent-record.ts';

/** The fields that create and patch have in common. Absent keeps. */
export type SettingsPatch = Omit<AgentPatch, 'display_name'>;

export function patchSettings(settings: AgentSettings, patch: SettingsPatch): AgentSettings {
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
