import { parsedObject } from '@parley/protocol/json';
import {
  type AnswerOf,
  CONFIRM_DESTRUCTIVE,
  IDEMPOTENCY_KEY,
  type RouteDeclaration,
} from '@parley/protocol/route';
import { sleep, systemClock } from './channels/clock.ts';
import { FetchTransport } from './channels/fetch-transport.ts';
import { type HttpAnswer, type HttpRequest, type Transport, TransportError } from './channels/transport.ts';
import type { StreamEvent } from './event-stream-reader.ts';
import { resumingStream } from './resuming-stream.ts';

/** Some calls are held for half a minute: a writer waits for others, a reader for something new. */
const CALL_TIMEOUT_MS = 45_000;

/** Milliseconds before each new try of a call that did not get through. */
const AT_ONCE: readonly number[] = [0, 0];

export interface CallerOptions {
  server: string;
  /** An API key or a session token; left out where a cookie stands in its place. */
  key?: string | undefined;
  /** Sent with every call. */
  headers?: Readonly<Record<string, string>> | undefined;
  transport?: Transport | undefined;
  /** Milliseconds to wait before each new try of a call that got no answer; as many tries as there are numbers. */
  patience?: readonly number[] | undefined;
}

/** What is sent besides the key. */
export interface RouteInput {
  /** What stands in the path, in its order. */
  readonly path?: readonly string[];
  readonly query?: object;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Whether doing it twice does no harm, where neither the method nor a key in the headers says so. */
  readonly isRepeatable?: boolean;
}

/** Of a stream: how it goes on after a cut. */
export interface StreamInput extends RouteInput {
  /** What to ask for after this event, in place of `query`; undefined before the first that has an id. */
  readonly after?: (last: StreamEvent | undefined) => object;
  readonly isLast?: (event: StreamEvent) => boolean;
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
  readonly #patience: readonly number[];

  constructor(
    { server, key, headers, transport, patience = AT_ONCE }: CallerOptions,
    shape: AnswerShape,
    timeoutMs = CALL_TIMEOUT_MS,
  ) {
    this.transport = transport ?? new FetchTransport(server, fetchHere);
    this.headers = { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers };
    this.#shape = shape;
    this.#timeoutMs = timeoutMs;
    this.#patience = patience;
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
    const answer = await this.#answer(this.#request(route, input), input.isRepeatable);
    if (!isSuccess(route, answer)) throw this.#shape.refusal(answer);
    if (answer.status === 204) return 'null';
    if (route.media !== undefined) return answer.body;
    const told = parsedObject(answer.body);
    if (told && this.#shape.isOurs(told)) return answer.body;
    throw this.#shape.notOurs(`the answer to ${route.name} is not that of a Parley server`);
  }

  /** Events over any number of connections; `after` says what each new one has to ask for. */
  async *events(route: RouteDeclaration, input: StreamInput = {}): AsyncGenerator<StreamEvent> {
    const { after, isLast, signal } = input;
    let last: StreamEvent | undefined;
    const stream = resumingStream({
      open: async (connected) => {
        const request = this.#request(route, { ...input, ...(after && { query: after(last) }) });
        const headers = { ...request.headers, accept: 'text/event-stream' };
        return await this.transport.stream({ ...request, headers, signal: connected });
      },
      refusal: (answer) => this.#shape.refusal(answer),
      ...(isLast && { isLast }),
      signal,
    });
    for await (const event of stream) {
      if (event.id !== undefined) last = event;
      yield event;
    }
  }

  #request(
    route: RouteDeclaration,
    { path = [], query = {}, body, headers, signal }: RouteInput,
  ): HttpRequest {
    return {
      method: route.method,
      path: filledIn(route.path, path) + queryText(query),
      ...(body && { body: JSON.stringify(body) }),
      headers: { ...this.headers, ...headers },
      timeoutMs: this.#timeoutMs,
      signal,
    };
  }

  /** Where nobody knows whether it was carried out, it is asked again, if that does no harm. */
  async #answer(request: HttpRequest, mayRepeat = isRepeatable(request)): Promise<HttpAnswer> {
    for (const pause of this.#patience) {
      try {
        return await this.transport.request(request);
      } catch (error) {
        const mayHelp = error instanceof TransportError && error.failure === 'unreachable';
        if (!mayHelp || !mayRepeat) throw error;
      }
      await sleep(systemClock, pause, request.signal);
    }
    return await this.transport.request(request);
  }
}

const isSuccess = ({ otherSuccesses = [] }: RouteDeclaration, { status }: HttpAnswer): boolean =>
  (status >= 200 && status <= 299) || otherSuccesses.includes(status);

/** What reads, and what the server stores once by its key, does no harm when it is done twice. */
const isRepeatable = ({ method, headers }: HttpRequest): boolean =>
  method === 'GET' || Object.keys(headers ?? {}).some((name) => name.toLowerCase() === KEY_HEADER);

const KEY_HEADER = IDEMPOTENCY_KEY.toLowerCase();

/** With it a call that got no answer is made again, and carried out once. */
export const repeatableKey = (key: string = crypto.randomUUID()): Record<string, string> => ({
  [IDEMPOTENCY_KEY]: key,
});

/** Whoever calls a method of that name means it. */
export const meant: Readonly<Record<string, string>> = { [CONFIRM_DESTRUCTIVE]: 'true' };

function filledIn(path: string, values: readonly string[]): string {
  let at = 0;
  return path.replaceAll(/\{\w+\}/g, () => segment(values[at++] ?? ''));
}

function queryText(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** A redirect would carry the key to wherever it points. */
const fetchHere: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, { ...init, redirect: 'error' });

/** Dots alone cannot be spelled in a URL: they would lead to another route. They become what names nothing. */
const segment = (value: string): string => encodeURIComponent(value.replace(/^\.{1,2}$/, '\ufffd'));
