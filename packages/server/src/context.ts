import { createChannelService } from './channels/create-service.ts';
import { createConsoleModule } from './console/create-module.ts';
import type { LoadedConfig } from './config/load.ts';
import type { Config } from './config/settings.ts';
import { createContinuityModule } from './continuity/create-module.ts';
import { coordinationContext } from './coordination/coordination-context.ts';
import { startupReader } from './continuity/startup-reader.ts';
import { createDeliveryModule } from './delivery/create-module.ts';
import { createIdentityService } from './identity/create-service.ts';
import { type RegistrationMode, registrationMode } from './identity/owners/registration-mode.ts';
import { graphOf } from './knowledge/graph/graph.ts';
import { SUMMARY_CAPS } from './knowledge/graph/section.ts';
import { knowledgeContext } from './knowledge/knowledge-context.ts';
import { MIGRATIONS } from './migrations.ts';
import { ResourceSubscriptions } from './mcp/subscriptions.ts';
import { memoryFolders } from './memory-folders.ts';
import type { Module } from './platform/module.ts';
import { createPlatform, type Platform, type PlatformOverrides } from './platform.ts';
import { createRoomsModule } from './rooms/create-module.ts';
import { scheduleContext } from './schedule/schedule-context.ts';
import { scopedItems } from './schedule/scoped-items.ts';

/** Every dependency of the server: the platform and one entry per module, wired by hand here and in `platform.ts`. */
export type AppContext = Platform & Module & ReturnType<typeof createModules>;

export interface ContextOverrides extends PlatformOverrides {
  /** Where each setting came from. */
  origins?: LoadedConfig['origins'];
}

export async function createContext(config: Config, overrides: ContextOverrides = {}): Promise<AppContext> {
  const registration = registrationMode(config);
  const platform = await createPlatform(config, MIGRATIONS, overrides);
  const modules = createModules(platform, registration, overrides);
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

/** Begun in the order in which they are returned, and ended in the opposite one. */
function createModules(platform: Platform, registration: RegistrationMode, { origins }: ContextOverrides) {
  const channels = createChannelService(platform);
  const identity = createIdentityService(platform, registration);
  const delivery = createDeliveryModule(platform, identity);
  const { messaging, streams, told } = delivery;
  const continuity = createContinuityModule(platform, identity);
  const { service: memory } = continuity;
  messaging.startup.readBy(startupReader(memory));
  const schedule = scheduleContext(platform, identity, memory, messaging.mail);
  const knowledge = knowledgeContext(platform, memory);
  memory.sections.scheduleOf = (caller, about) => scopedItems(schedule, caller, about);
  memory.sections.graphOf = (caller, subject) => graphOf(knowledge, caller, subject, SUMMARY_CAPS);
  const coordination = coordinationContext(platform, identity, memory, messaging);
  memory.folders.push(...memoryFolders(memory.journal));
  const rooms = createRoomsModule(platform, identity, { ...streams, handoffs: coordination.wakes }, told);
  const mcp = new ResourceSubscriptions(platform.wheel);
  const shown = { channels, identity, delivery, rooms, continuity };
  const console = createConsoleModule(platform, shown, origins);
  return { channels, identity, delivery, continuity, schedule, knowledge, coordination, rooms, mcp, console };
}
