import type { FastifyReply, FastifyRequest } from 'fastify';
import { bareResponse } from '../platform/http/bare-response.ts';
import type { SseConnection, SseFace } from '../platform/streams/sse.ts';
import { metaOf } from './eras.ts';
import type { RpcRequest } from './message.ts';

type ProgressToken = string | number;

/** Undefined where the client did not ask for it, or takes no stream. */
export function progressToken({ params }: RpcRequest, request: FastifyRequest): ProgressToken | undefined {
  const token = metaOf(params)?.progressToken;
  const isToken = typeof token === 'string' || Number.isSafeInteger(token);
  return isToken && /\btext\/event-stream\b/.test(request.headers.accept ?? '')
    ? (token as ProgressToken)
    : undefined;
}

/**
 * An answer that may be preceded by how far the work is. It is plain JSON unless there is something to tell before; with the
 * first such word it becomes a stream that ends with the answer.
 */
export class ProgressReply {
  readonly #face: SseFace;
  readonly #reply: FastifyReply;
  readonly #token: ProgressToken;
  #stream: SseConnection | undefined;

  constructor(face: SseFace, reply: FastifyReply, token: ProgressToken) {
    this.#face = face;
    this.#reply = reply;
    this.#token = token;
  }

  tell(progress: number, total: number): void {
    const params = { progressToken: this.#token, progress, total };
    const told = frame({ jsonrpc: '2.0', method: 'notifications/progress', params });
    if (this.#stream) {
      this.#stream.send(told);
      return;
    }
    this.#reply.hijack();
    this.#stream = this.#face.open(bareResponse(this.#reply), { closed: () => {} }, told);
  }

  /** False where nothing was told: then the answer is still to be sent. */
  end(answer: object): boolean {
    if (!this.#stream) return false;
    this.#stream.send(frame(answer));
    this.#stream.end();
    return true;
  }
}

export const frame = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
