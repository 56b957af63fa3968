import * as continuity from '@parley/protocol/continuity/routes';
import { inbox } from '@parley/protocol/delivery/message-routes';
import { SELF_SLUG } from '@parley/protocol/identity/slug';
import { roomContext } from '@parley/protocol/rooms/routes';
import type { RouteAnswer, RouteCall } from './inner-call.ts';
import type { Loose } from './message.ts';
import { comeBack, invalidParams, unauthorized } from './rpc-error.ts';
import type { ToolCaller } from './tool-call.ts';

/** What a client can show to a person, who picks something for the model to read. All of it is read only. */

const JSON_TYPE = 'application/json';
const SCHEME = 'parley:';
const MOST_LISTED = 50;

const INBOX = {
  uri: 'parley://inbox',
  name: 'inbox',
  title: 'Inbox',
  description: 'Messages to you, newest first. Looking does not mark them as delivered.',
  mimeType: JSON_TYPE,
};

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'parley://memory/{subject_kind}/{subject_id}',
    name: 'memory',
    title: 'Where the work stands',
    description: 'The capsule of a subject with a summary to carry on from.',
    mimeType: JSON_TYPE,
  },
  {
    uriTemplate: 'parley://rooms/{room_id}',
    name: 'room',
    title: 'A room',
    description: 'What was said in a room, and what is needed to speak in it.',
    mimeType: JSON_TYPE,
  },
] as const;

/** The inbox, and the capsules that are there. */
export async function listResources(from: ToolCaller): Promise<object> {
  if (!from.caller) return { resources: [INBOX] };
  const answer = await from.ask({ route: continuity.list, body: { limit: MOST_LISTED } });
  refuseIfLater(answer);
  const { body } = answer;
  const capsules = Array.isArray(body.capsules) ? (body.capsules as readonly Loose[]) : [];
  return { resources: [INBOX, ...capsules.map(resourceOf)] };
}

function resourceOf({ subject_kind: kind, subject_id: id }: Loose): object {
  return {
    uri: `parley://memory/${String(kind)}/${encodeURIComponent(String(id))}`,
    name: `${String(kind)} ${String(id)}`,
    title: `Where ${String(kind)} ${String(id)} stands`,
    mimeType: JSON_TYPE,
  };
}

export async function readResource(from: ToolCaller, uri: unknown): Promise<object> {
  if (typeof uri !== 'string') throw invalidParams('uri is required');
  const call = routeOf(uri, from.caller?.agent?.slug ?? SELF_SLUG);
  if (!call) throw notFound(uri);
  if (!from.caller) throw unauthorized();
  const answer = await from.ask(call);
  refuseIfLater(answer);
  if (answer.status >= 400) throw refused(uri, answer);
  if (answer.body.capsule === null) throw notFound(uri);
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(answer.body) }] };
}

const notFound = (uri: string) => invalidParams('resource not found', { uri });

/** Nothing is wrong with what was asked: it may be answered soon. */
function refuseIfLater({ status, retryAfter }: RouteAnswer): void {
  if (status === 429 || status === 503) throw comeBack(status, retryAfter);
}

function refused(uri: string, { status, body }: RouteAnswer) {
  if (status === 401) return unauthorized();
  return status === 404
    ? notFound(uri)
    : invalidParams('resource cannot be read', { uri, status, detail: body.detail ?? body });
}

export const startupRead = (kind: string, id: string): RouteCall => ({
  route: continuity.read,
  body: { subject_kind: kind, subject_id: id, view: 'startup', allow_fallback: true },
});

function routeOf(uri: string, self: string): RouteCall | undefined {
  const parsed = URL.canParse(uri) ? new URL(uri) : undefined;
  if (parsed?.protocol !== SCHEME) return undefined;
  const [first = '', second = '', ...rest] = parsed.pathname.split('/').slice(1).map(decoded);
  if (rest.length > 0) return undefined;
  if (parsed.hostname === 'inbox')
    return first === '' ? { route: inbox, params: { ref: self }, query: { peek: 'true' } } : undefined;
  if (parsed.hostname === 'memory' && second !== '') return startupRead(first, second);
  if (parsed.hostname === 'rooms' && first !== '' && second === '')
    return { route: roomContext, params: { id: first } };
  return undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
