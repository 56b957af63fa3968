import { createChannelService } from './channels/create-service.ts';
import type { ChannelService } from './channels/service.ts';
import type { Config } from './config/settings.ts';
import { createPlatform, type Platform, type PlatformOverrides } from './platform.ts';

/** Every dependency of the server: the platform and each module's service, wired by hand here and in `platform.ts`. */
export interface AppContext extends Platform {
  readonly channels: ChannelService;
  /** Begins the background work, once every module has said what it does. */
  start(): Promise<void>;
  /** Answers everything that waits, so that connections can end. */
  release(): void;
  close(): Promise<void>;
}

export type ContextOverrides = PlatformOverrides;

export async function createContext(config: Config, overrides: ContextOverrides = {}): Promise<AppContext> {
  const platform = await createPlatform(config, [], overrides);
  const channels = createChannelService(platform);
  platform.closing.add(() => channels.close());
  return {
    ...platform,
    channels,
    start: () => platform.jobs.start(),
    release() {
      channels.release();
      platform.hub.close();
    },
    close: () => platform.closing.run(),
  };
}
