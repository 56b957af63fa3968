import { isObject, parsedJson } from '@parley/protocol/json';

/** Messages as they come in and go out, one JSON object per line. */
export type Loose = Readonly<Record<string, unknown>>;
export type RpcId = string | number;

export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Loose;
}

export type Incoming =
  | { readonly kind: 'request'; readonly request: RpcRequest; readonly message: Loose }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Loose }
  /** An answer, to nobody: nothing is asked of clients. */
  | { readonly kind: 'answer' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'unreadable' };

export function incoming(line: string): Incoming {
  const message = parsedJson(line);
  if (message === undefined) return { kind: 'unreadable' };
  if (!isObject(message)) return { kind: 'invalid' };
  const { id, method } = message;
  if (method === undefined && ('result' in message || 'error' in message)) return { kind: 'answer' };
  if (typeof method !== 'string') return { kind: 'invalid' };
  const params = isObject(message['params']) ? message['params'] : {};
  if (!('id' in message)) return { kind: 'notification', method, params };
  if (typeof id !== 'string' && typeof id !== 'number') return { kind: 'invalid' };
  return { kind: 'request', request: { id, method, params }, message };
}

const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** What a modern client says it speaks; undefined for others. */
export function modernVersion({ params }: RpcRequest): string | undefined {
  const meta = params['_meta'];
  const version = isObject(meta) ? meta[VERSION] : undefined;
  return typeof version === 'string' ? version : undefined;
}

export const rpcError = (id: RpcId | null, code: number, message: string): Loose => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

/** A result as the client's era wants it. */
export function rpcResult(request: RpcRequest, result: Loose): Loose {
  const modern = modernVersion(request) !== undefined;
  return { jsonrpc: '2.0', id: request.id, result: modern ? { ...result, resultType: 'complete' } : result };
}
