import { createHash } from 'node:crypto';
import { API } from '@parley/protocol/api';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { Random } from '../../platform/ids.ts';
import { HttpClient } from '../../testing/http-client.ts';
import type { Example } from '../openapi.ts';

/** What a step sends; what stands in the path comes in its order. */
export interface Sent {
  readonly path?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whose key is sent: of the owner when nothing is said, else of one of its agents or of two that registered by themselves. */
  readonly as?: 'owner' | 'night-shift' | 'harbour-bot' | 'tide-watcher' | 'nobody';
}

/** A member of an earlier answer, as in `of('agent_register', 'api_key')`. */
export type Earlier = (name: string, ...path: readonly (string | number)[]) => string;

export type Step = readonly [name: string, sent: (of: Earlier) => Sent];

const ROUTES = new Map<string, RouteDeclaration>(
  API.flatMap(({ routes }) => routes.map((route): [string, RouteDeclaration] => [route.name, route])),
);

/** Calls one route after the other; what was sent and answered is the example of the route. */
export async function runExamples(
  server: { readonly url: string },
  steps: readonly Step[],
): Promise<Record<string, Example>> {
  const client = new HttpClient(server);
  const run: Record<string, Example> = {};
  const of: Earlier = (name, ...path) => {
    let value: unknown = run[name]?.answer;
    for (const key of path) value = (value as Record<string | number, unknown> | undefined)?.[key];
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new Error(`no example has answered ${name} ${path.join('.')}`);
    return String(value);
  };
  const failed: string[] = [];
  for (const [name, sends] of steps) {
    try {
      run[name] = await callOnce(client, name, sends(of), of);
    } catch (error) {
      failed.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (failed.length > 0) throw new Error(failed.join('\n'));
  return run;
}

async function callOnce(client: HttpClient, name: string, sent: Sent, of: Earlier): Promise<Example> {
  const [routeName = ''] = name.split(' ');
  const route = ROUTES.get(routeName);
  if (!route) throw new Error(`there is no route ${routeName}`);
  const { path = [], query, body, headers = {}, as = 'owner' } = sent;
  const key = as === 'nobody' ? undefined : KEYS[as](of);
  let at = 0;
  const answer = await client.call(
    route.method,
    route.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(path[at++] ?? '')),
    {
      headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
      ...(query && { query }),
      ...(body !== undefined && { body }),
    },
  );
  if (answer.status >= 400 && !route.unsupported)
    throw new Error(`the example of ${name} was answered ${answer.status}: ${answer.text}`);
  const shown = answer.text === '' || route.media ? undefined : answer.body;
  return { ...(path.length > 0 && { path }), query, body, status: answer.status, answer: shown };
}

const KEYS = {
  'harbour-bot': (of: Earlier) => of('agent_register', 'api_key'),
  'tide-watcher': (of: Earlier) => of('agent_register peer', 'api_key'),
  'night-shift': (of: Earlier) => of('key_create agent', 'api_key'),
  owner: (of: Earlier) => of('owner_register', 'api_key'),
};

/** Always the same, so that the same run gives the same examples. */
export function repeatable(): Random {
  let count = 0;
  const bytes = (size: number): Uint8Array => {
    const parts: Buffer[] = [];
    while (parts.length * 32 < size) parts.push(createHash('sha256').update(`parley ${count++}`).digest());
    return new Uint8Array(Buffer.concat(parts).subarray(0, size));
  };
  return {
    bytes,
    hex: (size) => Buffer.from(bytes(size)).toString('hex'),
    text: (length, alphabet) =>
      [...bytes(length)].map((byte) => alphabet.charAt(byte % alphabet.length)).join(''),
    unit: () => 0.5,
  };
}
