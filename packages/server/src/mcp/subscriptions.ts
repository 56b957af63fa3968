import type { FastifyReply } from 'fastify';
import { IDLE, type Module } from '../platform/module.ts';
import { bareResponse } from '../platform/http/bare-response.ts';
import { type SseConnection, SseFace } from '../platform/streams/sse.ts';
import type { TimerWheel } from '../platform/timer-wheel.ts';
import { frame } from './progress.ts';
import type { RpcId } from './rpc-error.ts';

const KEEPALIVE_MS = 15_000;
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';

/**
 * Streams that clients keep open to be told of changes. Nothing that is listed changes while a server runs, so they are quiet; and
 * they are all that is kept for the tools of models: all else is asked of the other modules' routes.
 */
export class ResourceSubscriptions implements Module {
  readonly start = (): Promise<void> => IDLE.start();
  readonly close = (): Promise<void> => IDLE.close();
  /** How streams of this endpoint are kept open. */
  readonly face: SseFace;
  readonly #open = new Map<SseConnection, () => void>();

  constructor(wheel: TimerWheel) {
    this.face = new SseFace({ wheel, keepaliveMs: KEEPALIVE_MS });
  }

  open(reply: FastifyReply, id: RpcId, complete: (meta: object) => object): void {
    const meta = { [SUBSCRIPTION_ID]: id };
    reply.hijack();
    const first = frame({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: meta, notifications: {} },
    });
    const connection: SseConnection = this.face.open(
      bareResponse(reply),
      { closed: () => this.#open.delete(connection) },
      first,
    );
    this.#open.set(connection, () => {
      connection.send(frame({ jsonrpc: '2.0', id, result: complete(meta) }));
      connection.end();
    });
  }

  /** The server stops: each stream ends with the result of the request that opened it. */
  release(): void {
    for (const end of this.#open.values()) end();
  }
}
