import { isObject } from '@parley/protocol/json';
import type { Transport } from '@parley/sdk/channels/transport';
import { CHANNEL_TOOLS, type ChannelTools } from './channel-tools.ts';
import { incoming, type Loose, rpcError, type RpcRequest, rpcResult } from './rpc.ts';
import type { ServerLink } from './server-link.ts';
import type { BridgeWakes } from './bridge-wakes.ts';
import { tellWakes } from './wakes.ts';

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL = -32_603;
/** By which a client knows that it may be told things it did not ask for. */
const CHANNEL_CAPABILITY = { 'claude/channel': {} };

export interface StdioOptions {
  readonly link: ServerLink;
  readonly channels: ChannelTools;
  readonly wakes: {
    readonly when: 'auto' | 'on' | 'off';
    readonly transport: Transport;
    readonly keys: readonly string[];
    readonly bridge: BridgeWakes;
  };
  readonly write: (message: Loose) => void;
}

/** Between a client on standard input and the server: adds the sealed channels, hands on the rest. */
export class StdioServer {
  readonly #options: StdioOptions;
  readonly #running = new Set<Promise<void>>();
  /** What is being asked, by its id, so that it can be given up. */
  readonly #asked = new Map<unknown, AbortController>();
  readonly #ended = new AbortController();
  #telling = false;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  take(line: string): void {
    if (line.trim() === '') return;
    const got = incoming(line);
    if (got.kind === 'unreadable') this.#options.write(rpcError(null, PARSE_ERROR, 'Parse error'));
    if (got.kind === 'invalid') this.#options.write(rpcError(null, INVALID_REQUEST, 'Invalid request'));
    if (got.kind === 'notification' && got.method === 'notifications/cancelled')
      this.#asked.get(got.params['requestId'])?.abort();
    if (got.kind !== 'request') return;
    const { id } = got.request;
    const given = new AbortController();
    this.#asked.set(id, given);
    const work = this.#answer(got.request, got.message, given.signal).finally(() => {
      this.#running.delete(work);
      if (this.#asked.get(id) === given) this.#asked.delete(id);
    });
    this.#running.add(work);
  }

  /** What was asked is answered before the end. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    this.#ended.abort();
  }

  /** What was given up has no answer, and the server is hung up on: a wait must not take a message that nobody will see. */
  async #answer(request: RpcRequest, message: Loose, given: AbortSignal): Promise<void> {
    try {
      const answer = await this.#answerTo(request, message, given);
      if (answer) this.#options.write(answer);
    } catch (error) {
      if (given.aborted) return;
      this.#options.write(
        rpcError(request.id, INTERNAL, error instanceof Error ? error.message : String(error)),
      );
    }
  }

  async #answerTo(request: RpcRequest, message: Loose, given: AbortSignal): Promise<Loose | undefined> {
    const { link, channels } = this.#options;
    const { method, params, id } = request;
    if (method === 'subscriptions/listen') {
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
      return {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta, notifications: {} },
      };
    }
    if (method === 'tools/call' && isChannelTool(params['name'])) {
      return rpcResult(request, await channelResult(channels, String(params['name']), params['arguments']));
    }
    const answer = await link.forward(request, message, given);
    if (given.aborted) return undefined;
    if (method === 'tools/call') this.#options.wakes.bridge.noticed(params['arguments']);
    const { result } = answer;
    if (!isObject(result)) return answer;
    if (method === 'tools/list') return { ...answer, result: withChannels(result) };
    if (method === 'initialize' || method === 'server/discover')
      return { ...answer, result: this.#greeted(request, result) };
    return answer;
  }

  /** From now on the client may be told of wakes, where it is one that takes them. */
  #greeted({ params }: RpcRequest, result: Loose): Loose {
    const { wakes, write } = this.#options;
    if (wakes.when === 'off' || (wakes.when === 'auto' && !takesWakes(params))) return result;
    if (!this.#telling) {
      this.#telling = true;
      void tellWakes({ ...wakes, tell: write }, this.#ended.signal).catch(() => undefined);
    }
    const capabilities = isObject(result['capabilities']) ? result['capabilities'] : {};
    return { ...result, capabilities: { ...capabilities, experimental: CHANNEL_CAPABILITY } };
  }
}

const isChannelTool = (name: unknown): boolean => CHANNEL_TOOLS.some((tool) => tool.name === name);

function withChannels(result: Loose): Loose {
  const tools = Array.isArray(result['tools']) ? (result['tools'] as readonly unknown[]) : [];
  return { ...result, tools: [...tools, ...CHANNEL_TOOLS] };
}

async function channelResult(channels: ChannelTools, name: string, given: unknown): Promise<Loose> {
  try {
    return told(await channels.call(name, isObject(given) ? given : {}), false);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return told({ ok: false, status: 400, detail }, true);
  }
}

const told = (structuredContent: Loose, isError: boolean): Loose => ({
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  structuredContent,
  isError,
});

function takesWakes({ capabilities, clientInfo, _meta }: Loose): boolean {
  const experimental = isObject(capabilities) ? capabilities['experimental'] : undefined;
  if (isObject(experimental) && 'claude/channel' in experimental) return true;
  const info = isObject(clientInfo)
    ? clientInfo
    : isObject(_meta)
      ? _meta['io.modelcontextprotocol/clientInfo']
      : undefined;
  return isObject(info) && typeof info['name'] === 'string' && info['name'].startsWith('claude-code');
}
