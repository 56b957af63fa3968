import type { IdentityService } from '../identity/service.ts';
import type { Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import type { WakeFeeds } from '../wire/wake-feed.ts';
import { createRoomsService } from './create-service.ts';
import type { RoomsService } from './service.ts';
import { createRoomsStreams, type RoomsStreams } from './streams/create-streams.ts';
import { createRoomWebhooks, type RoomWebhooks } from './webhooks/create-webhooks.ts';

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
