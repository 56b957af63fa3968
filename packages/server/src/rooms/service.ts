import type { DeliveryData, RoomEventData, RoomEventType, TypingFrame } from '@parley/protocol/rooms/types';
import type { IdentityService } from '../identity/service.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Listeners } from '../platform/listeners.ts';
import type { StreamEvent } from '../platform/streams/stream-event.ts';
import type { Platform } from '../platform.ts';
import type { KnownHashes } from './conversation/known-hashes.ts';
import type { PromptLayers } from './conversation/prompt-layers.ts';
import type { RecentMessages } from './conversation/recent-messages.ts';
import type { Typing } from './conversation/typing.ts';
import type { RoomLimiters } from './limiters.ts';
import type { Room } from './room/room.ts';
import type { RoomSettings } from './settings.ts';
import type { EventSink } from '../delivery/records/agent-event.ts';
import type { RoomTelemetry } from './telemetry.ts';

/** One event of a room, after its commit: for `StreamHub` topics of one room. */
export interface RoomEvent extends StreamEvent {
  readonly roomId: string;
  readonly type: RoomEventType;
  /** As the stream and the history show it. */
  readonly data: RoomEventData;
}

/** One durable item on an agent's stream, after its commit: for `StreamHub` topics of one agent. */
export interface TurnWake extends StreamEvent {
  readonly id: string;
  /** The agent it is for. */
  readonly agent: string;
  readonly roomId: string;
  readonly expiresAt: number;
  /** As the stream shows it. */
  readonly data: DeliveryData;
}

/** What a committed change means to somebody who is not connected. `room` is as the whole change left it. */
export interface RoomChange {
  readonly event: RoomEvent;
  readonly room: Room;
  /** The agent that caused it; null when the clock did. */
  readonly sender: string | null;
  readonly at: number;
}

/** What rules change rooms with: a transaction that holds the lock of the room, and the time it goes by. */
export interface Change {
  readonly rooms: RoomsService;
  readonly tx: Tx;
  readonly now: number;
}

/** Rooms with strict turns: what all their rules work with. Each file holds the rules of one noun. */
export interface RoomsService
  extends Pick<
    Platform,
    'database' | 'clock' | 'random' | 'wheel' | 'log' | 'jobs' | 'secrets' | 'addressRules'
  > {
  readonly settings: RoomSettings;
  readonly limiters: RoomLimiters;
  readonly layers: PromptLayers;
  readonly telemetry: RoomTelemetry;
  /** What agents are told of outside of rooms too. */
  readonly told: EventSink;
  readonly identity: Pick<IdentityService, 'directory' | 'storedBytes'>;
  /** What happened, told after its commit. Streams listen here and read the rest from the store. */
  readonly announced: {
    readonly events: Listeners<RoomEvent>;
    readonly deliveries: Listeners<TurnWake>;
    readonly typing: Listeners<TypingFrame>;
  };
  readonly typing: Typing;
  readonly recent: RecentMessages;
  readonly hashes: KnownHashes;
}
