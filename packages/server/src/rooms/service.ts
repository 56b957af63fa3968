import type { TypingFrame } from '@parley/protocol/rooms/types';
import type { StoredBytes } from '../identity/owners/stored-bytes.ts';
import type { AgentRef } from '../wire/caller.ts';
import type { Platform } from '../platform.ts';
import { RoomContext } from './conversation/context.ts';
import { Policy } from './conversation/policy.ts';
import type { PromptLayers } from './conversation/prompt-layers.ts';
import { RecentMessages } from './conversation/recent-messages.ts';
import { Typing } from './conversation/typing.ts';
import type { RoomLimiters } from './limiters.ts';
import { CurrentRooms } from './room/current-rooms.ts';
import type { RoomEncryption } from './room/encryption.ts';
import { type QueueWebhooks, type RoomEvent, RoomEvents } from './room/events.ts';
import { Lifecycle } from './room/lifecycle.ts';
import { Listeners } from './room/listeners.ts';
import { RoomChanges } from './room/room-changes.ts';
import type { RoomSettings } from './settings.ts';
import type { RoomTelemetry } from './telemetry.ts';
import { Deliveries, type Delivery } from './turn-wakes/deliveries.ts';

export interface RoomsServiceOptions
  extends Pick<Platform, 'database' | 'clock' | 'random' | 'wheel' | 'log'> {
  readonly settings: RoomSettings;
  readonly limiters: RoomLimiters;
  readonly encryption: RoomEncryption;
  readonly layers: PromptLayers;
  readonly telemetry: RoomTelemetry;
  readonly agents: (suffixes: readonly string[]) => Promise<Map<string, AgentRef>>;
  /** The account of an agent that is not deleted. */
  readonly ownerOf: (suffix: string) => Promise<string | undefined>;
  readonly storedBytes: StoredBytes;
  readonly queueWebhooks: QueueWebhooks;
  readonly onError: (error: unknown) => void;
}

/** Rooms with strict turns: what all their rules work with, put together here. Each file holds the rules of one noun. */
export interface RoomsService extends RoomsServiceOptions {
  /** What happened, told after its commit. Streams listen here and read the rest from the store. */
  readonly announced: {
    readonly events: Listeners<RoomEvent>;
    readonly deliveries: Listeners<Delivery>;
    readonly typing: Listeners<TypingFrame>;
  };
  readonly events: RoomEvents;
  readonly deliveries: Deliveries;
  readonly typing: Typing;
  readonly recent: RecentMessages;
  readonly changes: RoomChanges;
  readonly lifecycle: Lifecycle;
  readonly currentRooms: CurrentRooms;
  readonly context: RoomContext;
  readonly policy: Policy;
}

export function roomsService(options: RoomsServiceOptions): RoomsService {
  const { clock, encryption, onError, settings } = options;
  const announced = {
    events: new Listeners<RoomEvent>(onError),
    deliveries: new Listeners<Delivery>(onError),
    typing: new Listeners<TypingFrame>(onError),
  };
  const events = new RoomEvents({ ...options, announced: announced.events });
  const deliveries = new Deliveries({ ...options, announced: announced.deliveries });
  const typing = new Typing({ ...options, changed: announced.typing });
  const recent = new RecentMessages(encryption, () => clock.now());
  const changes = new RoomChanges({ ...options, events, deliveries, recent, typing });
  const lifecycle = new Lifecycle({ ...options, changes, deliveries, recent });
  const currentRooms = new CurrentRooms({ ...options, lifecycle });
  const context = new RoomContext({ ...options, currentRooms, recent });
  const policy = new Policy({ ...options, mode: settings.policy });
  const parts = { announced, events, deliveries, typing, recent, changes, lifecycle, currentRooms };
  return { ...options, ...parts, context, policy };
}
