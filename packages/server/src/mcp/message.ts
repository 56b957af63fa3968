import { isObject, parsedJson } from '@parley/protocol/json';
import { isNestedDeeper } from '../platform/http/nesting.ts';
import { INVALID_REQUEST, PARSE_ERROR, RpcError, type RpcId } from './rpc-error.ts';

export type Loose = Readonly<Record<string, unknown>>;

export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: unknown;
}

/** What is looked through step by step, and written out again for a route, would run out of stack far beyond it. */
const DEEPEST_MESSAGE = 1_000;

/** One message, or undefined for what needs no answer: notifications, and answers to nobody. */
export function requestFrom(text: string): RpcRequest | undefined {
  const message = parsedJson(text);
  if (message === undefined) throw new RpcError(PARSE_ERROR, 'Parse error', { status: 400 });
  if (isNestedDeeper(text, DEEPEST_MESSAGE)) throw invalid('nested too deeply');
  if (!isObject(message))
    throw invalid(Array.isArray(message) ? 'batches are not supported' : 'not an object');
  const { jsonrpc, method, params, id } = message;
  const known = isId(id) ? id : undefined;
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0"', known);
  if (method === undefined && ('result' in message || 'error' in message)) return undefined;
  if (typeof method !== 'string') throw invalid('method must be a string', known);
  if (!('id' in message)) return undefined;
  if (known === undefined) throw invalid('id must be a string or an integer');
  return { id: known, method, params };
}

const isId = (id: unknown): id is RpcId => typeof id === 'string' || Number.isSafeInteger(id);

const invalid = (reason: string, id?: RpcId): RpcError =>
  new RpcError(INVALID_REQUEST, `Invalid request: ${reason}`, { status: 400, id });
