import type { TypingFrame } from '@parley/protocol/rooms/types';
import type { EventSink } from '../delivery/records/agent-event.ts';
import type { IdentityService } from '../identity/service.ts';
import { Listeners } from '../platform/listeners.ts';
import type { Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import type { WakeFeeds } from '../wire/wake-feed.ts';
import { KnownHashes } from './conversation/known-hashes.ts';
import { loadPromptLayers } from './conversation/prompt-layers.ts';
import { RecentMessages } from './conversation/recent-messages.ts';
import { Typing } from './conversation/typing.ts';
import { roomLimiters } from './limiters.ts';
import { withdrawListings } from './listings/listings.ts';
import { Lifecycle } from './room/lifecycle.ts';
import { textBytesOf } from './room/text-byte-store.ts';
import type { TurnWake, RoomEvent, RoomsService } from './service.ts';
import { roomSettings } from './settings.ts';
import { createRoomsStreams, type RoomsStreams } from './streams/create-streams.ts';
import { roomTelemetry } from './telemetry.ts';
import { sendHooks } from './webhooks/hook-jobs.ts';

/** Rooms with strict turns, those who listen to them, and the endpoints that are told. */
export interface RoomsModule extends Module {
  readonly service: RoomsService;
  readonly streams: RoomsStreams;
  readonly lifecycle: Lifecycle;
}

/** What its routes are made from. */
export interface RoomsContext extends Platform {
  readonly identity: IdentityService;
  readonly rooms: RoomsModule;
}

/** `feeds` are wakes of other protocols that an agent may ask for on its stream; `told` is what agents are told of there. */
export function createRoomsModule(
  platform: Platform,
  identity: IdentityService,
  feeds: WakeFeeds,
  told: EventSink,
): RoomsModule {
  const service = createRoomsService(platform, identity, told);
  const lifecycle = new Lifecycle(service);
  sendHooks({ ...platform, telemetry: service.telemetry });
  const streams = createRoomsStreams(platform, identity, service, feeds);
  return {
    service,
    streams,
    lifecycle,
    async start() {
      await service.typing.load();
      lifecycle.start();
    },
    release: () => streams.close(),
    close: () => lifecycle.stop(),
  };
}

function createRoomsService(platform: Platform, identity: IdentityService, told: EventSink): RoomsService {
  const { config, log, metrics } = platform;
  const onError = log.failed('room_listener_failed');
  const announced = {
    events: new Listeners<RoomEvent>(onError),
    deliveries: new Listeners<TurnWake>(onError),
    typing: new Listeners<TypingFrame>(onError),
  };
  const rooms: RoomsService = {
    ...platform,
    settings: roomSettings(config),
    limiters: roomLimiters(platform.limits, config),
    layers: loadPromptLayers(config.roomsPromptDir),
    telemetry: roomTelemetry(metrics),
    identity,
    announced,
    told,
    typing: new Typing({ ...platform, changed: announced.typing }),
    recent: new RecentMessages(platform),
    hashes: new KnownHashes(),
  };
  identity.storedBytes.add(textBytesOf);
  identity.hooks.agentDeleted.push((tx, agent) => withdrawListings(rooms, tx, agent));
  return rooms;
}
