import type { Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import { Subscriptions } from './subscriptions.ts';

export interface McpModule extends Module {
  readonly subscriptions: Subscriptions;
}

/** Tools for models. It keeps nothing but the streams that are open; all else is asked of the other modules' routes. */
export function createMcpModule({ wheel }: Platform): McpModule {
  const subscriptions = new Subscriptions(wheel);
  return {
    subscriptions,
    start: async () => {},
    release: () => subscriptions.release(),
    close: async () => {},
  };
}
