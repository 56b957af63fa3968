import {
  CONSOLE_AGENT_HEADER,
  CONSOLE_HEADER,
  CONSOLE_OWNER_HEADER,
} from '@parley/protocol/console/session-routes';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { callerForNamed, callerOfOwner, signedIn, type SignIn } from '../identity/sign-ins/sign-ins.ts';
import { eventually } from '../platform/eventually.ts';
import { callName, callsOf } from '../platform/http/call-name.ts';
import type { Caller } from '../wire/caller.ts';
import { READ_BY_POST } from '../wire/memory/plugin.ts';
import { DeliveryError } from '../wire/delivery/errors.ts';
import type { Person } from '../wire/person.ts';
import { noteAudit } from './audit.ts';
import { comesFromElsewhere, cookieOf, isOwnOrigin } from './cookie.ts';
import type { ConsoleContext } from './create-module.ts';
import { withoutSecrets } from './secrets.ts';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const READ_CALLS = callsOf(...READ_BY_POST);

/**
 * People come with a cookie in place of a key, to every route. A cookie is sent by the browser, whoever's page asks, so it
 * counts only when
 *
 * | the request    | has to                                                                              |
 * | -------------- | ----------------------------------------------------------------------------------- |
 * | reads          | come from our own page, or from no page                                              |
 * | changes        | also carry `X-Parley-Console: 1`, which no form can send, and an `Origin` that is ours |
 * | brings a key   | go by the key: then the cookie is not looked at                                       |
 *
 * Otherwise it is as if there were none.
 */
export function admitPeople(app: FastifyInstance, context: ConsoleContext): void {
  app.decorateRequest('person', undefined);
  // With a callback: nearly all requests bring no cookie, and need not wait for a promise.
  app.addHook('onRequest', (request, _reply, done) => {
    const { cookie, authorization } = request.headers;
    if (cookie === undefined || authorization !== undefined || !isOurs(request, context)) done();
    else
      eventually(
        () => admit(context, request),
        () => done(),
        done,
      );
  });
  app.addHook('preSerialization', (request, _reply, payload: unknown, done) => {
    done(null, request.person && READING.has(request.method) ? withoutSecrets(payload) : payload);
  });
}

function isOurs({ raw, method, headers }: FastifyRequest, { config }: ConsoleContext): boolean {
  if (comesFromElsewhere(raw)) return false;
  if (READING.has(method)) return true;
  return headers[CONSOLE_HEADER.toLowerCase()] === '1' && isOwnOrigin(raw, config.publicUrl);
}

async function admit(context: ConsoleContext, request: FastifyRequest): Promise<void> {
  const token = cookieOf(request.raw);
  const signIn = token === undefined ? undefined : await signedIn(context.identity, token);
  if (!signIn) return;
  const person =
    signIn.ownerId === null
      ? await operator(context, request, signIn)
      : await owner(context, request, signIn);
  request.person = person && { ...person, caller: await asAgent(context, request, person.caller) };
}

/** Some routes are for agents: a person calls them as one of the owner's, and as nobody where that is none of them. */
async function asAgent(
  { identity }: ConsoleContext,
  { headers }: FastifyRequest,
  caller: Caller | undefined,
): Promise<Caller | undefined> {
  const named = headers[CONSOLE_AGENT_HEADER.toLowerCase()];
  if (!caller || typeof named !== 'string') return caller;
  const agent = await identity.directory.resolveOwn(caller.ownerId, named).catch((error: unknown) => {
    if (error instanceof DeliveryError) return undefined;
    throw error;
  });
  return agent && { ...caller, agent };
}

async function owner(
  context: ConsoleContext,
  request: FastifyRequest,
  signIn: SignIn,
): Promise<Person | undefined> {
  const caller = await callerOfOwner(context.identity, signIn);
  // Its key is over, and so is what was opened with it.
  if (!caller) return undefined;
  if (!reads(request) && !tellsItself(request)) await note(context, request, caller, 'owner', 'changed');
  const { id: signInId, expiresAt } = signIn;
  return { signInId, role: 'owner', ownerId: caller.ownerId, sees: 'all', expiresAt, caller };
}

async function operator(context: ConsoleContext, request: FastifyRequest, signIn: SignIn): Promise<Person> {
  const sees = context.console.operatorSees;
  const { id: signInId, expiresAt } = signIn;
  const named = request.headers[CONSOLE_OWNER_HEADER.toLowerCase()];
  const caller =
    typeof named === 'string' && mayCall(request, sees)
      ? await callerForNamed(context.identity, signIn, named)
      : undefined;
  if (caller) await noteLook(context, request, caller);
  return { signInId, role: 'operator', ownerId: undefined, sees, expiresAt, caller };
}

/** Where owners are other people, an operator reads if the server says so, and changes nothing of theirs. */
function mayCall(request: FastifyRequest, sees: Person['sees']): boolean {
  if (sees === 'all') return true;
  return sees === 'content' && reads(request);
}

const reads = ({ method, routeOptions }: FastifyRequest): boolean =>
  READING.has(method) || READ_CALLS.has(callName(method, routeOptions.url ?? ''));

/** What is done at a route of the console is told there, by its name; what is no route is told nowhere. */
const tellsItself = ({ routeOptions: { url } }: FastifyRequest): boolean =>
  url === undefined || (url.startsWith('/v1/console/') && !url.startsWith('/v1/console/messages/'));

/** Looks at other people's texts are told to them; on the own machine, what was changed. */
async function noteLook(context: ConsoleContext, request: FastifyRequest, caller: Caller): Promise<void> {
  if (!reads(request)) await note(context, request, caller, 'operator', 'changed');
  else if (context.console.operatorSees !== 'all') await note(context, request, caller, 'operator', 'looked');
}

async function note(
  context: ConsoleContext,
  { method, url }: FastifyRequest,
  { ownerId }: Caller,
  actor: Person['role'],
  action: 'looked' | 'changed',
): Promise<void> {
  await noteAudit(context, { ownerId, actor, action, object: `${method} ${url.split('?')[0] ?? ''}` });
}
