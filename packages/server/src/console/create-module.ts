import type { OperatorSight } from '@parley/protocol/console/session-routes';
import type { ChannelService } from '../channels/service.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ContinuityModule } from '../continuity/create-module.ts';
import type { DeliveryModule } from '../delivery/create-module.ts';
import { type Lately, lately } from '../delivery/overview/lately.ts';
import type { IdentityService } from '../identity/service.ts';
import type { Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import type { RoomsModule } from '../rooms/create-module.ts';
import { LiveHints } from './live.ts';
import { SystemHistory } from './system/history.ts';

/** Where people see and steer. */
export interface ConsoleModule extends Module {
  /** On a server for this machine alone everybody's agents belong to the person at it. */
  readonly operatorSees: OperatorSight;
  readonly lately: Lately;
  readonly live: LiveHints;
  readonly system: SystemState;
  readonly spellAgent: (suffix: string) => string;
}

/** What is known of the process that answers. */
interface SystemState {
  readonly startedAt: number;
  readonly history: SystemHistory;
  /** Where each setting came from, if whoever started the server said so. */
  readonly origins: LoadedConfig['origins'] | undefined;
}

/** The modules whose objects it shows. */
export interface Shown {
  readonly channels: ChannelService;
  readonly identity: IdentityService;
  readonly delivery: DeliveryModule;
  readonly rooms: RoomsModule;
  readonly continuity: ContinuityModule;
}

/** What its routes are made from. */
export interface ConsoleContext extends Platform, Shown {
  readonly console: ConsoleModule;
}

export function createConsoleModule(
  platform: Platform,
  shown: Shown,
  origins?: LoadedConfig['origins'],
): ConsoleModule {
  const { entrance, config } = platform;
  const { identity, delivery } = shown;
  const live = new LiveHints(platform, identity);
  const history = new SystemHistory(platform);
  shown.channels.onChange(() => live.changed('channels'));
  return {
    operatorSees: entrance.isLocal ? 'all' : config.operatorReads,
    lately: lately(delivery),
    live,
    system: { startedAt: platform.clock.now(), history, origins },
    spellAgent: delivery.agents.settings.spellAgent,
    start: async () => history.start(),
    release: () => live.close(),
    close: async () => history.close(),
  };
}
