import type { IdentityService } from '../identity/service.ts';
import type { Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import type { WakeFeeds } from '../wire/wake-feed.ts';
import { type RoomsService, roomsService } from './service.ts';
import { createRoomsStreams, type RoomsStreams } from './streams/create-streams.ts';
import { errorFields } from '../platform/log.ts';
import { RoomEncryption } from './room/encryption.ts';
import type { QueueWebhooks } from './room/events.ts';
import { roomLimiters } from './limiters.ts';
import { loadPromptLayers } from './conversation/prompt-layers.ts';
import { roomSettings } from './settings.ts';
import { roomTelemetry } from './telemetry.ts';
import { textBytesOf } from './room/text-byte-store.ts';
import { withdrawListings } from './listings/listings.ts';
import { WebhookEndpoints } from './webhooks/endpoints.ts';
import { WebhookOutbox } from './webhooks/outbox.ts';
import { sendHooks } from './webhooks/hook-jobs.ts';
import { webhookTelemetry } from './webhooks/telemetry.ts';

/** Rooms with strict turns, those who listen to them, and the endpoints that are told. */
export interface RoomsModule extends Module {
  readonly service: RoomsService;
  readonly streams: RoomsStreams;
  readonly webhooks: RoomWebhooks;
}

/** What its routes are made from. */
export interface RoomsContext extends Platform {
  readonly identity: IdentityService;
  readonly rooms: RoomsModule;
}

/** `feeds` are wakes of other protocols that an agent may ask for on its stream. */
export function createRoomsModule(
  platform: Platform,
  identity: IdentityService,
  feeds: WakeFeeds,
): RoomsModule {
  const webhooks = createRoomWebhooks(platform);
  const service = createRoomsService(platform, identity, webhooks.queue);
  const streams = createRoomsStreams(platform, identity, service, feeds);
  return {
    service,
    streams,
    webhooks,
    start: async () => service.lifecycle.start(),
    release: () => streams.close(),
    close: () => service.lifecycle.stop(),
  };
}

function createRoomsService(
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
    agents: (suffixes) => identity.directory.bySuffix(suffixes),
    ownerOf: (suffix) => identity.directory.ownerIdOf(suffix),
    storedBytes: identity.storedBytes,
    queueWebhooks,
    onError: (error) => log.error('room_listener_failed', errorFields(error)),
  });
  identity.storedBytes.add(textBytesOf);
  identity.hooks.agentDeleted.push((tx, agent) => withdrawListings(rooms, tx, agent));
  return rooms;
}

interface RoomWebhooks {
  readonly endpoints: WebhookEndpoints;
  readonly queue: QueueWebhooks;
}

function createRoomWebhooks(platform: Platform): RoomWebhooks {
  const { jobs, random, metrics } = platform;
  const endpoints = new WebhookEndpoints(platform);
  sendHooks({ ...platform, endpoints, telemetry: webhookTelemetry(metrics) });
  const outbox = new WebhookOutbox(jobs, random);
  return { endpoints, queue: (tx, change) => outbox.queue(tx, change) };
}
