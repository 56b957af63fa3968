import type { AnswerOf, RouteDeclaration } from '@parley/protocol/route';
import { jsonObject } from './channels/channel-error.ts';
import { FetchTransport } from './channels/fetch-transport.ts';
import { type HttpAnswer, type HttpRequest, type Transport, TransportError } from './channels/transport.ts';

/** Some calls are held for half a minute: a writer waits for others, a reader for something new. */
export const CALL_TIMEOUT_MS = 45_000;

/** Of a call that did not get through. */
const TRIES = 3;

export interface CallerOptions {
  server: string;
  /** An API key or a session token; left out where a cookie stands in its place. */
  key?: string | undefined;
  /** Sent with every call. */
  headers?: Readonly<Record<string, string>> | undefined;
  transport?: Transport | undefined;
}

/** What is sent besides the key. */
export interface RouteInput {
  /** What stands in the path, in its order. */
  readonly path?: readonly string[];
  readonly query?: object;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** What the answers of a protocol have in common. */
export interface AnswerShape {
  isOurs(body: Readonly<Record<string, unknown>>): boolean;
  refusal(answer: HttpAnswer): Error;
  /** For a 200 of somebody else, for instance the login page of a captive portal. */
  notOurs(message: string): Error;
}

/** Calls declared routes of one protocol, on one server, as one owner or agent. */
export class RouteCaller {
  readonly transport: Transport;
  readonly headers: Readonly<Record<string, string>>;
  readonly #shape: AnswerShape;
  readonly #timeoutMs: number;

  constructor(
    { server, key, headers, transport }: CallerOptions,
    shape: AnswerShape,
    timeoutMs = CALL_TIMEOUT_MS,
  ) {
    this.transport = transport ?? new FetchTransport(server, fetchHere);
    this.headers = { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers };
    this.#shape = shape;
    this.#timeoutMs = timeoutMs;
  }

  /** Where a route has several answers, the caller knows from what it asks which of them it gets. */
  async call<Route extends RouteDeclaration, Answer extends AnswerOf<Route> = AnswerOf<Route>>(
    route: Route,
    input: RouteInput = {},
  ): Promise<Answer> {
    // An answer of this route, whose shape is part of the protocol.
    return JSON.parse(await this.text(route, input)) as Answer;
  }

  /** The answer as the server wrote it, for whoever hands it on unchanged; `null` where there is none. */
  async text(route: RouteDeclaration, input: RouteInput = {}): Promise<string> {
    const { path = [], query = {}, body, headers, signal } = input;
    const answer = await this.#answer({
      method: route.method,
      path: filledIn(route.path, path) + queryText(query),
      ...(body && { body: JSON.stringify(body) }),
      headers: { ...this.headers, ...headers },
      timeoutMs: this.#timeoutMs,
      signal,
    });
    if (answer.status < 200 || answer.status > 299) throw this.#shape.refusal(answer);
    if (answer.status === 204) return 'null';
    const told = jsonObject(answer.body);
    if (told && this.#shape.isOurs(told)) return answer.body;
    throw this.#shape.notOurs(`the answer to ${route.name} is not that of a Parley server`);
  }

  /** Where nobody knows whether it was carried out, it is asked again, if that does no harm. */
  async #answer(request: HttpRequest): Promise<HttpAnswer> {
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        return await this.transport.request(request);
      } catch (error) {
        const mayHelp = error instanceof TransportError && error.failure === 'unreachable';
        if (left === 0 || !mayHelp || !isRepeatable(request)) throw error;
      }
    }
  }
}

/** What reads, and what the server stores once by its key, does no harm when it is done twice. */
const isRepeatable = ({ method, headers }: HttpRequest): boolean =>
  method === 'GET' || headers?.[IDEMPOTENCY_KEY] !== undefined;

const IDEMPOTENCY_KEY = 'idempotency-key';

/** With it a call that got no answer is made again, and carried out once. */
export const repeatableKey = (key: string = crypto.randomUUID()): Record<string, string> => ({
  [IDEMPOTENCY_KEY]: key,
});

function filledIn(path: string, values: readonly string[]): string {
  let at = 0;
  return path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(values[at++] ?? ''));
}

function queryText(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** A redirect would carry the key to wherever it points. */
const fetchHere: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, { ...init, redirect: 'error' });
