import { type JsonObject, parsedObject } from '@parley/protocol/json';
import {
  type HttpAnswer,
  type HttpRequest,
  type Transport,
  TransportError,
} from '@parley/sdk/channels/transport';

const PATIENCE_MS = 15_000;

/** The server's refusal of one call. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  /** How long it asks us to wait. */
  readonly retryAfterMs: number;

  constructor(what: string, answer: HttpAnswer) {
    const code = codeOf(answer);
    super(`${what} was answered with ${answer.status}${code === '' ? '' : ` ${code}`}`);
    this.status = answer.status;
    this.code = code;
    this.retryAfterMs = retryAfter(answer.header('retry-after') ?? '', answer.header('date'));
  }

  /** Room over, or never there: whatever was about to happen in it is obsolete. */
  get isOver(): boolean {
    return this.status === 410 || this.status === 404;
  }
}

/** In seconds, or a time by the server's own clock. */
function retryAfter(text: string, now: string | undefined): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.parse(now ?? '');
  return Math.max(0, ms || 0);
}

/** Nobody answered, or the server is in trouble of its own: the same call may succeed later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof TransportError) return true;
  return error instanceof Refusal && (error.status >= 500 || error.status === 429 || error.status === 408);
}

export interface ServerRequest {
  readonly method?: HttpRequest['method'];
  readonly path: string;
  readonly token?: string;
  readonly body?: object;
}

/** One call; everything the bridge asks for may be asked for twice. Throws a `Refusal` for what is no success. */
export async function callServer(transport: Transport, request: ServerRequest): Promise<JsonObject> {
  const { method = 'GET', path, token, body } = request;
  const answer = await transport.request({
    method,
    path,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(body && { body: JSON.stringify(body) }),
    timeoutMs: PATIENCE_MS,
    repeatable: true,
  });
  if (answer.status < 200 || answer.status > 299) throw new Refusal(`${method} ${path}`, answer);
  return jsonOf(answer);
}

const jsonOf = ({ body }: HttpAnswer): JsonObject => parsedObject(body) ?? {};

function codeOf(answer: HttpAnswer): string {
  const { error } = jsonOf(answer);
  return typeof error === 'string' && /^\w{1,64}$/.test(error) ? error : '';
}
