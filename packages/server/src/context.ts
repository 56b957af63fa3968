import { createChannelService } from './channels/create-service.ts';
import type { ChannelService } from './channels/service.ts';
import type { Config } from './config/settings.ts';
import { createContinuityService } from './continuity/create-service.ts';
import { createBootImport } from './continuity/import/create-boot-import.ts';
import { createMemoryMirror } from './continuity/git/create-mirror.ts';
import type { MemoryMirror } from './continuity/git/mirror.ts';
import { continuityMigrations } from './continuity/migrations.ts';
import type { ContinuityService } from './continuity/service.ts';
import { type AgentSide, createAgentSide } from './delivery/create-agents.ts';
import { createMessaging, type Messaging } from './delivery/create-messaging.ts';
import { deliveryMigrations } from './delivery/migrations.ts';
import { createDeliveryStreams, type DeliveryStreams } from './delivery/streams/create-streams.ts';
import { createDeliveryWebhooks } from './delivery/webhooks/create-webhooks.ts';
import type { WebhookDispatcher } from './delivery/webhooks/dispatcher.ts';
import { createIdentityService } from './identity/create-service.ts';
import { identityMigrations } from './identity/migrations.ts';
import { registrationMode } from './identity/owners/registration-mode.ts';
import type { IdentityService } from './identity/service.ts';
import { createPlatform, type Platform, type PlatformOverrides } from './platform.ts';
import { createRoomsService } from './rooms/create-service.ts';
import { roomMigrations } from './rooms/migrations.ts';
import type { RoomsService } from './rooms/service.ts';
import { createRoomsStreams, type RoomsStreams } from './rooms/streams/create-streams.ts';
import { createRoomWebhooks, type RoomWebhooks } from './rooms/webhooks/create-webhooks.ts';
import { roomWebhookMigrations } from './rooms/webhooks/migrations.ts';

/** Every dependency of the server: the platform and each module's service, wired by hand here and in `platform.ts`. */
export interface AppContext extends Platform {
  readonly channels: ChannelService;
  readonly identity: IdentityService;
  readonly agents: AgentSide;
  readonly messaging: Messaging;
  readonly deliveryStreams: DeliveryStreams;
  readonly webhooks: WebhookDispatcher;
  readonly rooms: RoomsService;
  readonly roomStreams: RoomsStreams;
  readonly roomWebhooks: RoomWebhooks;
  readonly continuity: ContinuityService;
  /** Undefined unless the operator asked for one. */
  readonly memoryMirror: MemoryMirror | undefined;
  /** Begins the background work, once every module has said what it does. */
  start(): Promise<void>;
  /** Answers everything that waits, so that connections can end. */
  release(): void;
  close(): Promise<void>;
}

export type ContextOverrides = PlatformOverrides;

export async function createContext(config: Config, overrides: ContextOverrides = {}): Promise<AppContext> {
  const registration = registrationMode(config);
  const modules = [
    identityMigrations,
    deliveryMigrations,
    roomMigrations,
    roomWebhookMigrations,
    continuityMigrations,
  ];
  const platform = await createPlatform(config, modules, overrides);
  const channels = createChannelService(platform);
  platform.closing.add(() => channels.close());
  const identity = createIdentityService(platform, registration);
  platform.closing.add(() => identity.close());
  const agents = createAgentSide(platform, identity);
  platform.closing.add(() => agents.close());
  const messaging = createMessaging(platform, identity, agents);
  platform.closing.add(() => messaging.close());
  const webhooks = createDeliveryWebhooks(platform, agents, messaging);
  platform.closing.add(() => webhooks.stop());
  const deliveryStreams = createDeliveryStreams(platform, identity, agents, messaging);
  const roomWebhooks = createRoomWebhooks(platform);
  const rooms = createRoomsService(platform, identity, roomWebhooks.queue);
  platform.closing.add(() => rooms.close());
  const roomStreams = createRoomsStreams(platform, identity, rooms, deliveryStreams);
  const continuity = createContinuityService(platform);
  platform.closing.add(() => continuity.close());
  const memoryImport = createBootImport(platform, identity);
  const memoryMirror = createMemoryMirror(platform, identity, continuity);
  if (memoryMirror) platform.closing.add(() => memoryMirror.close());
  return {
    ...platform,
    channels,
    identity,
    agents,
    messaging,
    deliveryStreams,
    webhooks,
    rooms,
    roomStreams,
    roomWebhooks,
    continuity,
    memoryMirror,
    async start() {
      await identity.start();
      await agents.start();
      await memoryImport.start();
      await memoryMirror?.start();
      rooms.start();
      await platform.jobs.start();
      await webhooks.start();
    },
    release() {
      channels.release();
      roomStreams.close();
      deliveryStreams.offers.close();
      platform.hub.close();
    },
    close: () => platform.closing.run(),
  };
}
