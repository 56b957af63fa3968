import { createChannelService } from './channels/create-service.ts';
import type { ChannelService } from './channels/service.ts';
import { type ConsoleModule, createConsoleModule } from './console/create-module.ts';
import type { LoadedConfig } from './config/load.ts';
import type { Config } from './config/settings.ts';
import { type ContinuityModule, createContinuityModule } from './continuity/create-module.ts';
import { createCoordinationModule, type CoordinationModule } from './coordination/create-module.ts';
import { startupReader } from './continuity/startup-reader.ts';
import { createDeliveryModule, type DeliveryModule } from './delivery/create-module.ts';
import { createIdentityService } from './identity/create-service.ts';
import { registrationMode } from './identity/owners/registration-mode.ts';
import type { IdentityService } from './identity/service.ts';
import { createKnowledgeModule, type KnowledgeModule } from './knowledge/create-module.ts';
import { MIGRATIONS } from './migrations.ts';
import { createMcpModule, type McpModule } from './mcp/create-module.ts';
import { memoryFolders } from './memory-folders.ts';
import type { Module } from './platform/module.ts';
import { createPlatform, type Platform, type PlatformOverrides } from './platform.ts';
import { createRoomsModule, type RoomsModule } from './rooms/create-module.ts';
import { createScheduleModule, type ScheduleModule } from './schedule/create-module.ts';

/** Every dependency of the server: the platform and one entry per module, wired by hand here and in `platform.ts`. */
export interface AppContext extends Platform, Module {
  readonly channels: ChannelService;
  readonly identity: IdentityService;
  readonly delivery: DeliveryModule;
  readonly rooms: RoomsModule;
  readonly continuity: ContinuityModule;
  readonly schedule: ScheduleModule;
  readonly knowledge: KnowledgeModule;
  readonly coordination: CoordinationModule;
  readonly mcp: McpModule;
  readonly console: ConsoleModule;
}

export interface ContextOverrides extends PlatformOverrides {
  /** Where each setting came from. */
  origins?: LoadedConfig['origins'];
}

export async function createContext(config: Config, overrides: ContextOverrides = {}): Promise<AppContext> {
  const registration = registrationMode(config);
  const platform = await createPlatform(config, MIGRATIONS, overrides);
  const channels = createChannelService(platform);
  const identity = createIdentityService(platform, registration);
  const delivery = createDeliveryModule(platform, identity);
  const continuity = createContinuityModule(platform, identity);
  delivery.messaging.startup.readBy(startupReader(continuity.service));
  const schedule = createScheduleModule(platform, identity, continuity.service, delivery.messaging.mail);
  const knowledge = createKnowledgeModule(platform, continuity);
  const coordination = createCoordinationModule(platform, identity, continuity.service, delivery.messaging);
  continuity.service.folders.push(...memoryFolders(continuity.service.journal));
  const feeds = { ...delivery.streams, handoffs: coordination.context.wakes };
  const rooms = createRoomsModule(platform, identity, feeds, delivery.told);
  const mcp = createMcpModule(platform);
  const console = createConsoleModule(
    platform,
    { channels, identity, delivery, rooms, continuity },
    overrides.origins,
  );
  // Begun in this order, and ended in the opposite one.
  const modules = {
    channels,
    identity,
    delivery,
    continuity,
    schedule,
    knowledge,
    coordination,
    rooms,
    mcp,
    console,
  };
  const each: readonly Module[] = Object.values(modules);
  for (const module of each) platform.closing.add(() => module.close());
  // First of all: what runs may need every module.
  platform.closing.add(() => platform.jobs.stop());
  return {
    ...platform,
    ...modules,
    async start() {
      for (const module of each) await module.start();
      await platform.jobs.start();
    },
    release() {
      for (const module of each) module.release();
      platform.hub.close();
    },
    close: () => platform.closing.run(),
  };
}
