import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import type { Clock } from '../clock.ts';
import { within } from '../within.ts';
import { type AddressRules, checkUrl, type Target } from './address-rules.ts';
import { bareHost } from './callback-allow.ts';
import { type Failure, failure, failureOf } from './failures.ts';
import { guardedConnector } from './guarded-connector.ts';
import { OriginPools } from './origin-pools.ts';
import { type Resolver, systemResolver } from './resolver.ts';

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** From the first look-up to the last byte. */
  timeoutMs: number;
  /** How much of the answer is kept; the rest is not read. */
  maxResponseChars?: number;
  /** Requests of different pools share no connections, also to the same origin: none waits for another's. */
  pool?: string;
}

export interface OutboundResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly truncated: boolean;
}

export type OutboundResult = OutboundResponse | Failure;

export interface GuardedClientOptions {
  rules: AddressRules;
  clock: Clock;
  resolve?: Resolver;
  connectTimeoutMs?: number;
  connectionsPerOrigin?: number;
  /** An origin's connections are closed after this long without a request. */
  idleMs?: number;
  ca?: string;
}

/** The only way out of the server. Follows no redirect and never throws: every outcome is a result. */
export class GuardedClient {
  readonly #rules: AddressRules;
  readonly #clock: Clock;
  readonly #pools: OriginPools;

  constructor(options: GuardedClientOptions) {
    this.#rules = options.rules;
    this.#clock = options.clock;
    this.#pools = new OriginPools({
      clock: options.clock,
      connectionsPerOrigin: options.connectionsPerOrigin ?? DEFAULT_CONNECTIONS,
      idleMs: options.idleMs ?? 30_000,
      connectorFor: (origin) =>
        guardedConnector({
          host: bareHost(origin.hostname),
          port: Number(origin.port) || (origin.protocol === 'https:' ? 443 : 80),
          rules: options.rules,
          resolve: options.resolve ?? systemResolver,
          connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
          ca: options.ca,
        }),
    });
  }

  /** Origins with open or recently used connections. */
  get origins(): number {
    return this.#pools.size;
  }

  async request(request: OutboundRequest): Promise<OutboundResult> {
    const verdict = checkUrl(request.url, this.#rules);
    if (!verdict.ok) return failure('ssrf_blocked', verdict.detail);
    const abort = new AbortController();
    const url = dialUrl(verdict.target);
    const exchanged = this.#pools
      .with(url, request.pool, (pool) => exchange(pool, url, request, abort.signal))
      .catch(failureOf);
    const outcome = await within(this.#clock, request.timeoutMs, exchanged, undefined);
    // One that still waits for its connection does not hear it, and is not waited for either.
    if (!outcome) abort.abort();
    return outcome ?? failure('timeout', `no complete answer within ${request.timeoutMs} ms`);
  }

  /** Ends what is under way as a network failure. */
  close(): Promise<void> {
    return this.#pools.close();
  }
}

/** As many as anyone sends at a time: a request that waited for a connection would lose that time from its limit. */
const DEFAULT_CONNECTIONS = 64;

async function exchange(
  pool: Pool,
  url: URL,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const { statusCode, headers, body } = await pool.request({
    path: url.pathname + url.search,
    method: request.method,
    headers: safeHeaders(request.headers ?? {}),
    body: request.body ?? null,
    signal,
  });
  const { text, truncated } = await readText(body, request.maxResponseChars ?? 2000);
  return { kind: 'response', status: statusCode, headers, body: text, truncated };
}

/** Leaving the loop early destroys the body and with it the connection, so an endless answer costs nothing more. */
async function readText(
  body: Dispatcher.ResponseData['body'],
  maxChars: number,
): Promise<{ text: string; truncated: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > maxChars) return { text: text.slice(0, maxChars), truncated: true };
  }
  return { text: text + decoder.decode(), truncated: false };
}

/** `example.com.` and `example.com` are one server, but certificates and `Host` know only the second. */
function dialUrl({ url, host }: Target): URL {
  if (!url.hostname.endsWith('.')) return url;
  const dialled = new URL(url);
  dialled.hostname = host;
  return dialled;
}

/** A caller's headers must not change whom the request is for or where it ends (host spoofing, request smuggling). */
function safeHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase())));
}

const OWN_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
