import * as declared from '@parley/protocol/identity/device-login-routes';
import { ownerRegistration } from '@parley/protocol/identity/schemas';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DeliveryError, deliveryRefusals, mustPass } from '../../wire/delivery/errors.ts';
import { bearerToken } from '../../platform/auth/bearer.ts';
import { type HtmlPage, sendPage } from '../../wire/html-page.ts';
import { type RouteShape, RouteTable } from '../../platform/http/route-table.ts';
import { inviteOf } from '../routes/invite-header.ts';
import { refuseRegistration } from '../routes/account-routes.ts';
import * as logins from './device-logins.ts';
import { GuessGuard } from './guess-guard.ts';
import { approved, askForApproval, askForEmail, linkIsOnItsWay, notPossible } from './login-page.ts';
import type { IdentityService } from '../service.ts';

/** Nobody has a key here yet: beginnings count by address as registrations, wrong codes and tokens as failed logins. */
export function deviceLoginRoutes(app: FastifyInstance, identity: IdentityService): void {
  const { config, limiters } = identity;
  const shape: RouteShape<undefined> = {
    ...deliveryRefusals,
    authenticate: async () => undefined,
    async limit(route, request) {
      if (!BEGINNINGS.has(route.name)) return;
      mustPass(await limiters.registrations.take(request.clientAddress));
    },
  };
  app.addHook('preHandler', formsAsJson);
  const table = new RouteTable(app, shape);
  const guard = new GuessGuard(limiters.failedLogins);
  /** Not what the request calls this server: a link with its token must not lead to a host that its sender made up. */
  const linkBase = (request: FastifyRequest): string =>
    config.publicUrl?.replace(/\/+$/, '') ?? socketBase(request);
  const sendLink = (request: FastifyRequest, code: string, email: string): Promise<void> =>
    guard.code(request.clientAddress, code, () =>
      logins.sendLink(identity, code, email, (token) =>
        pageUrl(linkBase(request), { token, device_code: code }),
      ),
    );
  const approve = (request: FastifyRequest, token: string, invite: string | undefined) =>
    guard
      .secret(request.clientAddress, () => logins.approve(identity, token, inviteOf(request, invite)))
      .catch(refuseRegistration);

  table.add(declared.deviceCodeCreate, async ({ body, request }) => {
    await logins.beginLogin(identity, body.device_code);
    const url = pageUrl(linkBase(request), { device_code: body.device_code });
    return { verification_url: url, expires_in: declared.DEVICE_LOGIN_SECONDS };
  });

  table.add(declared.deviceCodePoll, ({ body: { device_code: code }, request }) =>
    guard.code(request.clientAddress, code, () => logins.pollLogin(identity, code)),
  );

  table.add(declared.deviceCodeSubmitEmail, async ({ body, request }) => {
    await sendLink(request, body.device_code, body.email);
    return { status: 'email_sent' };
  });

  table.add(declared.sessionOpen, async ({ body, request }) => {
    const { sessionToken, email } = await approve(request, body.token, body.invite);
    return { session_token: sessionToken, email };
  });

  table.add(declared.sessionKey, async ({ request }) => {
    const token = bearerToken(request.headers.authorization);
    if (token === undefined) throw new DeliveryError('invalid_session');
    return { api_key: await guard.secret(request.clientAddress, () => logins.keyOfLogin(identity, token)) };
  });

  table.add(declared.deviceLoginPage, ({ query, request, reply }) =>
    asPage(reply, async () => {
      const { token, device_code: code } = query;
      if (token !== undefined) {
        const email = await guard.secret(request.clientAddress, () =>
          logins.askedAddress(identity, token, code),
        );
        return askForApproval({ token, code, email, byInvite: identity.registrationMode === 'invite' });
      }
      return isCode(code) ? askForEmail(code) : undefined;
    }),
  );

  table.add(declared.deviceLoginForm, ({ body, request, reply }) =>
    asPage(reply, async () => {
      if (body.token !== undefined) return approved((await approve(request, body.token, body.invite)).email);
      const email = ownerRegistration.shape.email.safeParse(body.email);
      if (!email.success) throw new DeliveryError('validation_error', 'This is no email address.');
      await sendLink(request, body.device_code ?? '', email.data);
      return linkIsOnItsWay();
    }),
  );
  table.refuseOtherMethods();
}

const pageUrl = (base: string, query: Record<string, string>): string =>
  `${base}${declared.deviceLoginPage.path}?${new URLSearchParams(query).toString()}`;

const BEGINNINGS: ReadonlySet<string> = new Set([
  declared.deviceCodeCreate.name,
  declared.deviceCodeSubmitEmail.name,
  declared.deviceLoginForm.name,
]);

/** What is none could be a text that somebody wants this page to show. */
const isCode = (text: string | undefined): text is string => declared.deviceCode.safeParse(text).success;

/** Refusals are pages here, too; undefined is one. */
async function asPage(reply: FastifyReply, work: () => Promise<HtmlPage | undefined>): Promise<FastifyReply> {
  try {
    const page = await work();
    return page ? show(reply, page) : show(reply.code(400), notPossible('The link is not complete.'));
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return show(reply.code(error.status).headers(error.headers()), notPossible(error.message));
  }
}

/** The token is in the address of the page: no other page is told it. */
const show = (reply: FastifyReply, page: HtmlPage): FastifyReply =>
  sendPage(reply.header('Referrer-Policy', 'no-referrer'), page);

/** The address the request came in at. */
function socketBase({ raw }: FastifyRequest): string {
  const { localAddress = '127.0.0.1', localPort } = raw.socket;
  const address = localAddress.replace(/^::ffff:/, '');
  return `http://${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

/** A browser sends the form of the page in its own way; curl says the same of JSON when it is told nothing. */
async function formsAsJson(request: FastifyRequest): Promise<void> {
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  if (!isForm || typeof request.body !== 'string' || request.body.trimStart().startsWith('{')) return;
  const fields = [...new URLSearchParams(request.body)].filter(([, value]) => value !== '');
  request.body = JSON.stringify(Object.fromEntries(fields));
}
