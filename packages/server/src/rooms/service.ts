import type { TypingFrame } from '@parley/protocol/rooms/types';
import { ActionableRooms } from './turn-wakes/actionable.ts';
import { Blocks } from './listings/blocks.ts';
import { RoomContext } from './conversation/context.ts';
import { Deliveries, type Delivery } from './turn-wakes/deliveries.ts';
import type { RoomEncryption } from './room/encryption.ts';
import { type QueueWebhooks, type RoomEvent, RoomEvents } from './room/events.ts';
import { RoomHistory } from './conversation/history.ts';
import { HumanCodes } from './viewers/human-code.ts';
import { Keeping } from './viewers/keeping.ts';
import { Lifecycle } from './room/lifecycle.ts';
import type { RoomLimiters } from './limiters.ts';
import { Listeners } from './room/listeners.ts';
import { Listings } from './listings/listings.ts';
import { Messages } from './conversation/messages.ts';
import { Policy } from './conversation/policy.ts';
import type { PromptLayers } from './conversation/prompt-layers.ts';
import { RecentMessages } from './conversation/recent-messages.ts';
import { RoomChanges } from './room/room-changes.ts';
import { CurrentRooms } from './room/current-rooms.ts';
import { RoomStates } from './room/room-state.ts';
import type { RoomSettings } from './settings.ts';
import type { RoomTelemetry } from './telemetry.ts';
import { RoomTokens } from './access/tokens.ts';
import { Transcripts, type TranscriptsOptions } from './viewers/transcript.ts';
import { Typing } from './conversation/typing.ts';
import { TypingCalls } from './conversation/typing-calls.ts';
import { Viewers } from './viewers/viewers.ts';
import type { Platform } from '../platform.ts';

export interface RoomsServiceOptions
  extends Pick<Platform, 'database' | 'clock' | 'random' | 'wheel' | 'log'> {
  readonly settings: RoomSettings;
  readonly limiters: RoomLimiters;
  readonly encryption: RoomEncryption;
  readonly layers: PromptLayers;
  readonly telemetry: RoomTelemetry;
  readonly agents: TranscriptsOptions['agents'];
  readonly queueWebhooks: QueueWebhooks;
  readonly onError: (error: unknown) => void;
}

/** Rooms with strict turns: each part holds the rules of one noun, and they are put together here. */
export class RoomsService {
  /** What happened, told after its commit. Streams listen here and read the rest from the store. */
  readonly announced: {
    readonly events: Listeners<RoomEvent>;
    readonly deliveries: Listeners<Delivery>;
    readonly typing: Listeners<TypingFrame>;
  };
  readonly limiters: RoomLimiters;
  readonly currentRooms: CurrentRooms;
  readonly events: RoomEvents;
  readonly history: RoomHistory;
  readonly deliveries: Deliveries;
  readonly typing: Typing;
  readonly typingCalls: TypingCalls;
  readonly listings: Listings;
  readonly messages: Messages;
  readonly context: RoomContext;
  readonly states: RoomStates;
  readonly tokens: RoomTokens;
  readonly codes: HumanCodes;
  readonly keeping: Keeping;
  readonly transcripts: Transcripts;
  readonly viewers: Viewers;
  readonly actionable: ActionableRooms;
  readonly blocks: Blocks;
  readonly lifecycle: Lifecycle;

  constructor(options: RoomsServiceOptions) {
    const { database, clock, limiters, onError } = options;
    this.limiters = limiters;
    this.announced = {
      events: new Listeners(onError),
      deliveries: new Listeners(onError),
      typing: new Listeners(onError),
    };
    const { announced } = this;
    this.events = new RoomEvents({ ...options, announced: announced.events });
    this.deliveries = new Deliveries({ ...options, announced: announced.deliveries });
    this.typing = new Typing({ ...options, changed: announced.typing });
    const { events, deliveries, typing } = this;
    const recent = new RecentMessages(options.encryption, () => clock.now());
    const changes = new RoomChanges({ ...options, events, deliveries, recent, typing });
    this.lifecycle = new Lifecycle({ ...options, changes, deliveries, recent });
    this.currentRooms = new CurrentRooms({ ...options, lifecycle: this.lifecycle });
    const shared = {
      ...options,
      currentRooms: this.currentRooms,
      changes,
      events,
      deliveries,
      recent,
      typing,
    };

    this.listings = new Listings(shared);
    this.context = new RoomContext(shared);
    this.history = new RoomHistory(this.currentRooms, events);
    this.states = new RoomStates(shared);
    this.tokens = new RoomTokens(shared);
    this.codes = new HumanCodes(shared);
    this.blocks = new Blocks(database, clock);
    this.typingCalls = new TypingCalls(shared);
    const policy = new Policy({ ...options, mode: options.settings.policy });
    this.messages = new Messages({ ...shared, context: this.context, policy });
    this.keeping = new Keeping({ ...shared, codes: this.codes });
    this.transcripts = new Transcripts({ ...options, codes: this.codes });
    this.viewers = new Viewers({ ...shared, codes: this.codes });
    this.actionable = new ActionableRooms({ ...shared, tokens: this.tokens });
  }

  start(): void {
    this.lifecycle.start();
  }

  async close(): Promise<void> {
    await this.lifecycle.stop();
  }
}
