import { IDLE, type Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import { ResourceSubscriptions } from './subscriptions.ts';

export interface McpModule extends Module {
  readonly subscriptions: ResourceSubscriptions;
}

/** Tools for models. It keeps nothing but the streams that are open; all else is asked of the other modules' routes. */
export function createMcpModule({ wheel }: Platform): McpModule {
  const subscriptions = new ResourceSubscriptions(wheel);
  return {
    ...IDLE,
    subscriptions,
    release: () => subscriptions.release(),
  };
}
