import type { RouteDeclaration } from '@parley/protocol/route';
import { jsonObject } from '../channels/channel-error.ts';
import { FetchTransport } from '../channels/fetch-transport.ts';
import type { Transport } from '../channels/transport.ts';
import { DeliveryError, deliveryError } from './delivery-error.ts';

/** A call may be held for 30 s on purpose. */
const CALL_TIMEOUT_MS = 45_000;

export interface DeliveryOptions {
  server: string;
  /** An API key or a session token. */
  key: string;
  transport?: Transport | undefined;
}

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Call {
  /** For the `{…}` of the path, in their order. */
  readonly ids?: readonly string[];
  readonly query?: Query;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** One server, as one owner or agent. Every call is one declared route. */
export class DeliveryServer {
  readonly #transport: Transport;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ server, key, transport }: DeliveryOptions) {
    this.#transport = transport ?? new FetchTransport(server, fetchHere);
    this.#headers = { authorization: `Bearer ${key}` };
  }

  async call<Answer>(route: RouteDeclaration, call: Call = {}): Promise<Answer> {
    // The usual answer of this route, whose shape is part of the protocol.
    return JSON.parse(await this.text(route, call)) as Answer;
  }

  /** The answer as the server wrote it, for whoever hands it on unchanged. */
  async text(
    route: RouteDeclaration,
    { ids = [], query = {}, body, headers, signal }: Call = {},
  ): Promise<string> {
    const answer = await this.#transport.request({
      method: route.method,
      path: `${filled(route.path, ids)}${searchOf(query)}`,
      ...(body && { body: JSON.stringify(body) }),
      headers: { ...this.#headers, ...headers },
      timeoutMs: CALL_TIMEOUT_MS,
      signal,
    });
    if (answer.status !== route.success) throw deliveryError(answer);
    if (route.success === 204) return 'null';
    if (!jsonObject(answer.body)) throw notOurs(route);
    return answer.body;
  }
}

function filled(path: string, ids: readonly string[]): string {
  const rest = [...ids];
  return path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(rest.shift() ?? ''));
}

function searchOf(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** A redirect would carry the key to wherever it points. */
const fetchHere: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, { ...init, redirect: 'error' });

/** A 200 that is not ours, for instance the login page of a captive portal. */
const notOurs = (route: RouteDeclaration): DeliveryError =>
  new DeliveryError(502, {
    error: {
      code: 'unexpected_answer',
      message: `the answer to ${route.name} is not that of a Parley server`,
    },
  });
