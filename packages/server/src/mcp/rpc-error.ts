import { DomainError } from '../platform/http/domain-error.ts';

export type RpcId = string | number;

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
export const HEADER_MISMATCH = -32_020;
export const UNSUPPORTED_VERSION = -32_022;

interface RpcErrorOptions {
  readonly status?: number;
  readonly data?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the message it is about, where that could be read. */
  readonly id?: RpcId | undefined;
}

/** A refusal in the words of JSON-RPC. Which HTTP status goes with it depends on when it is found. */
export class RpcError extends DomainError {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly status: number;
  readonly id: RpcId | undefined;
  readonly #options: RpcErrorOptions;

  constructor(code: number, message: string, options: RpcErrorOptions = {}) {
    super(message);
    this.code = code;
    this.status = options.status ?? 200;
    this.id = options.id;
    this.#options = options;
  }

  /** Without an id: whoever answers a message that could be read adds its own. */
  body(): object {
    const { data } = this.#options;
    return { jsonrpc: '2.0', error: { code: this.code, message: this.message, ...(data && { data }) } };
  }

  override headers(): Readonly<Record<string, string>> {
    return this.#options.headers ?? {};
  }
}

export const invalidParams = (reason: string, more: object = {}): RpcError =>
  new RpcError(INVALID_PARAMS, `Invalid params: ${reason}`, { data: { reason, ...more } });

export const unauthorized = (): RpcError =>
  new RpcError(401, 'Unauthorized', { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } });

/** Too many requests, or a database that does not answer for a moment. */
export const comeBack = (status: 429 | 503, retryAfter: string | number = 1): RpcError =>
  new RpcError(status, status === 429 ? 'Too many requests' : 'Service unavailable', {
    status,
    headers: { 'Retry-After': String(retryAfter) },
  });
