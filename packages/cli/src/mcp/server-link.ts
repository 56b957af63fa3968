import type { Transport } from '@parley/sdk/channels/transport';
import { TransportError } from '@parley/sdk/channels/transport';
import { why } from '../cli-error.ts';
import { isObject, type Loose, modernVersion, rpcError, type RpcRequest } from './rpc.ts';

/** Longer than any wait that a tool can ask for. */
const PATIENCE_MS = 60_000;
const INTERNAL = -32_603;

export interface LinkOptions {
  readonly server: string;
  readonly transport: Transport;
  /** Tried one after the other: a session token may be over. Empty where the machine has none. */
  readonly keys: readonly string[];
  readonly tools: string | undefined;
}

/** Hands a request over to the server's endpoint, as a client of its era would post it. */
export class ServerLink {
  readonly #options: LinkOptions;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  async forward(request: RpcRequest, message: Loose): Promise<Loose> {
    const { server, keys } = this.#options;
    try {
      for (const key of keys) {
        const answer = await this.#post(request, message, key);
        if (answer) return answer;
      }
      const answer = keys.length === 0 ? await this.#post(request, message, undefined) : undefined;
      return (
        answer ?? rpcError(request.id, 401, `no key for ${server} that it takes: run "parley agent register"`)
      );
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      return rpcError(request.id, INTERNAL, `no answer from ${server}${why(error.cause)}`);
    }
  }

  /** Undefined where the server does not take the key. */
  async #post(request: RpcRequest, message: Loose, key: string | undefined): Promise<Loose | undefined> {
    const { tools, transport } = this.#options;
    const { status, body } = await transport.request({
      method: 'POST',
      path: '/v1/mcp',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(tools !== undefined && { 'parley-tools': tools }),
        ...eraHeaders(request),
      },
      body: JSON.stringify(message),
      timeoutMs: PATIENCE_MS,
    });
    if (status === 401) return undefined;
    const answer = parsed(body);
    if (!isObject(answer) || answer['jsonrpc'] !== '2.0')
      return rpcError(request.id, INTERNAL, `the server answered ${status}`);
    return { ...answer, id: request.id };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What stands between may look at these instead of the body. */
function eraHeaders(request: RpcRequest): Record<string, string> {
  const version = modernVersion(request);
  if (version === undefined) return {};
  const name = request.params['name'] ?? request.params['uri'];
  return {
    'mcp-protocol-version': version,
    'mcp-method': request.method,
    ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
  };
}

const headerText = (text: string): string =>
  /^[\x21-\x7e]*$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
