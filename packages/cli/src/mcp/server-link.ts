import { isObject, parsedJson } from '@parley/protocol/json';
import type { HttpAnswer, HttpRequest, Transport } from '@parley/sdk/channels/transport';
import { TransportError } from '@parley/sdk/channels/transport';
import { EventStreamReader } from '@parley/sdk/event-stream-reader';
import { why } from '../cli-error.ts';
import { type Loose, modernVersion, rpcError, type RpcRequest } from './rpc.ts';

/** Longer than any wait that a tool can ask for. */
const PATIENCE_MS = 60_000;
const INTERNAL = -32_603;

export interface LinkOptions {
  readonly server: string;
  readonly transport: Transport;
  /** Tried one after the other: a session token may be over. Empty where the machine has none. */
  readonly keys: readonly string[];
  readonly tools: string | undefined;
  /** What the server says before an answer: how far the work is. */
  readonly tell: (message: Loose) => void;
}

/** Hands a request over to the server's endpoint, as a client of its era would post it. */
export class ServerLink {
  readonly #options: LinkOptions;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  async forward(request: RpcRequest, message: Loose, signal?: AbortSignal): Promise<Loose> {
    const { server, keys } = this.#options;
    try {
      for (const key of keys) {
        const answer = await this.#post(request, message, { key, signal });
        if (answer) return answer;
      }
      const answer = keys.length === 0 ? await this.#post(request, message, { signal }) : undefined;
      return (
        answer ?? rpcError(request.id, 401, `no key for ${server} that it takes: run "parley agent register"`)
      );
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      return rpcError(request.id, INTERNAL, `no answer from ${server}${why(error.cause)}`);
    }
  }

  /** Undefined where the server does not take the key. */
  async #post(
    request: RpcRequest,
    message: Loose,
    { key, signal }: { key?: string; signal: AbortSignal | undefined },
  ): Promise<Loose | undefined> {
    const { tools, transport } = this.#options;
    const inSteps = wantsProgress(request);
    const post: HttpRequest = {
      method: 'POST',
      path: '/v1/mcp',
      headers: {
        'content-type': 'application/json',
        accept: inSteps ? 'application/json, text/event-stream' : 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(tools !== undefined && { 'parley-tools': tools }),
        ...eraHeaders(request),
      },
      body: JSON.stringify(message),
      timeoutMs: PATIENCE_MS,
      signal,
    };
    const { status, body } = await (inSteps ? this.#heard(post) : transport.request(post));
    if (status === 401) return undefined;
    const answer = parsedJson(body);
    if (!isObject(answer) || answer['jsonrpc'] !== '2.0')
      return rpcError(request.id, INTERNAL, `the server answered ${status}`);
    return { ...answer, id: request.id };
  }

  /** The answer; what comes before it is told as it comes. */
  async #heard(request: HttpRequest): Promise<Pick<HttpAnswer, 'status' | 'body'>> {
    const { transport, tell } = this.#options;
    const answer = await transport.stream(request);
    const { status, chunks } = answer;
    if (status !== 200) return answer;
    let text = '';
    if (!answer.header('content-type')?.startsWith('text/event-stream')) {
      for await (const chunk of chunks) text += chunk;
      return { status, body: text };
    }
    const reader = new EventStreamReader();
    for await (const chunk of chunks) {
      for (const { data } of reader.push(chunk)) {
        const message = parsedJson(data);
        if (isObject(message) && 'method' in message) tell(message);
        else text = data;
      }
    }
    return { status, body: text };
  }
}

function wantsProgress({ params }: RpcRequest): boolean {
  const meta = params['_meta'];
  return isObject(meta) && meta['progressToken'] !== undefined;
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
