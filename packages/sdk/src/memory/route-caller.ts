import type { RouteDeclaration } from '@parley/protocol/route';
import { jsonObject } from '../channels/channel-error.ts';
import { FetchTransport } from '../channels/fetch-transport.ts';
import type { Transport } from '../channels/transport.ts';
import { MemoryError, memoryError } from './memory-error.ts';

/** A writer may wait half a minute for the others of what it writes. */
export const CALL_TIMEOUT_MS = 45_000;

export interface MemoryOptions {
  server: string;
  /** An API key or a session token. */
  key: string;
  transport?: Transport | undefined;
}

/** What is sent besides the key. */
export interface RouteInput {
  /** What stands in the path, in its order. */
  readonly path?: readonly string[];
  readonly query?: object;
  readonly body?: object;
}

/** Calls declared routes of the memory protocols as one owner. */
export class RouteCaller {
  readonly transport: Transport;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ server, key, transport }: MemoryOptions) {
    this.transport = transport ?? new FetchTransport(server, fetchHere);
    this.headers = { authorization: `Bearer ${key}` };
  }

  async call<Answer>(route: RouteDeclaration, input: RouteInput = {}): Promise<Answer> {
    // It says `ok`: an answer of this route, whose shape is part of the protocol.
    return JSON.parse(await this.text(route, input)) as Answer;
  }

  /** The answer as the server wrote it, for whoever hands it on unchanged. */
  async text(route: RouteDeclaration, { path = [], query, body }: RouteInput = {}): Promise<string> {
    const answer = await this.transport.request({
      method: route.method,
      path: filledIn(route.path, path) + queryText(query),
      ...(body && { body: JSON.stringify(body) }),
      headers: this.headers,
      timeoutMs: CALL_TIMEOUT_MS,
    });
    if (answer.status < 200 || answer.status > 299) throw memoryError(answer);
    if (typeof jsonObject(answer.body)?.['ok'] !== 'boolean') throw notOurs(route);
    return answer.body;
  }
}

function filledIn(path: string, values: readonly string[]): string {
  let at = 0;
  return path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(values[at++] ?? ''));
}

function queryText(query: object | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** A redirect would carry the key to wherever it points. */
const fetchHere: typeof globalThis.fetch = (input, init) =>
  globalThis.fetch(input, { ...init, redirect: 'error' });

/** A 200 that is not ours, for instance the login page of a captive portal. */
const notOurs = (route: RouteDeclaration): MemoryError =>
  new MemoryError(502, { detail: `the answer to ${route.name} is not that of a Parley server` });
