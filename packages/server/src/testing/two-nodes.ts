import { inject } from 'vitest';

/** From where HAProxy calls the nodes: no test calls from there, so that what clients say of themselves is not believed. */
export const PROXY_ADDRESS = '127.77.77.77';

/** Whether every server of this run is two nodes; one that a test gives a file, or a Redis of its own, is what it asked for. */
export function twoNodesWanted({
  redisUrl,
  redis,
}: {
  readonly redisUrl?: string | undefined;
  readonly redis?: unknown;
}): boolean {
  return process.env.TEST_NODES === '2' && redisUrl === undefined && redis === undefined;
}

export function clusterForTests(): { readonly program: string; readonly redisUrl: string } {
  const haproxy = inject('haproxy');
  const redisUrl = inject('sharedRedis');
  if ('missing' in haproxy) throw new Error(`HAProxy is not available: ${haproxy.missing}`);
  if (redisUrl === undefined) throw new Error('Redis is not available');
  return { program: haproxy.program, redisUrl };
}
