import type { IdentityService } from '../identity/service.ts';
import { errorFields } from '../platform/log.ts';
import type { Platform } from '../platform.ts';
import { RoomEncryption } from './room/encryption.ts';
import type { QueueWebhooks } from './room/events.ts';
import { roomLimiters } from './limiters.ts';
import { loadPromptLayers } from './conversation/prompt-layers.ts';
import { type RoomsService, roomsService } from './service.ts';
import { roomSettings } from './settings.ts';
import { roomTelemetry } from './telemetry.ts';
import { textBytesOf } from './room/text-byte-store.ts';
import { withdrawListings } from './listings/listings.ts';

export function createRoomsService(
  platform: Platform,
  identity: IdentityService,
  queueWebhooks: QueueWebhooks,
): RoomsService {
  const { config, log } = platform;
  const rooms = roomsService({
    ...platform,
    settings: roomSettings(config),
    limiters: roomLimiters(platform.limits, config),
    encryption: new RoomEncryption(platform.secrets, platform.random),
    layers: loadPromptLayers(config.roomsPromptDir),
    telemetry: roomTelemetry(platform.metrics),
    agents: (suffixes) => identity.agents(suffixes),
    ownerOf: (suffix) => identity.directory.ownerIdOf(suffix),
    storedBytes: identity.storedBytes,
    queueWebhooks,
    onError: (error) => log.error('room_listener_failed', errorFields(error)),
  });
  identity.storedBytes.add(textBytesOf);
  identity.agentChanges.onDeleted((tx, agent) => withdrawListings(rooms, tx, agent));
  return rooms;
}
