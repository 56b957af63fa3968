import type { TestServer } from './start-server.ts';

/** How many requests wait for something to come, at any of the nodes. */
export function parked({ nodes }: Pick<TestServer, 'nodes'>): number {
  return nodes.reduce((sum, { context }) => sum + context.hub.waiters.parked, 0);
}
