import * as declared from '@parley/protocol/console/session-routes';
import type { FastifyRequest } from 'fastify';
import { GuessGuard } from '../../identity/device-login/guess-guard.ts';
import { enter, signInsOf, signOut } from '../../identity/sign-ins/sign-ins.ts';
import type { RouteTable } from '../../platform/http/route-table.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { iso } from '../../wire/delivery/times.ts';
import { noteAudit } from '../audit.ts';
import { comesFromElsewhere, cookieHeader, isOwnOrigin } from '../cookie.ts';
import type { ConsoleContext } from '../create-module.ts';
import { type MaybePerson, personOf } from '../shape.ts';

/** Coming in, going out, and who else is in. */
export function sessionRoutes(
  table: RouteTable<MaybePerson>,
  context: ConsoleContext,
  { version }: { readonly version: string },
): void {
  const { identity, clock, config } = context;
  const guard = new GuessGuard(identity.limiters.failedLogins);

  /** Another site must not be able to sign a person in as somebody else, and read along what they do there. */
  const requireOwnPage = ({ raw, headers }: FastifyRequest): void => {
    const says = headers[declared.CONSOLE_HEADER.toLowerCase()] === '1';
    if (!says || comesFromElsewhere(raw) || !isOwnOrigin(raw, config.publicUrl))
      throw new DeliveryError('origin_not_allowed');
  };

  const shown = async (
    id: string,
    role: declared.ConsoleRole,
    ownerId: string | undefined,
    expiresAt: number,
  ): Promise<declared.ConsoleSession> => ({
    id,
    role,
    owner: ownerId === undefined ? null : { id: ownerId, slug: await identity.ownerSlug(ownerId) },
    sees: role === 'owner' ? 'all' : context.console.operatorSees,
    version,
    server_time: iso(clock.now()),
    expires_at: iso(expiresAt),
  });

  table.add(declared.consoleSessionCreate, async ({ body, request, reply }) => {
    requireOwnPage(request);
    const agent = request.headers['user-agent'] ?? '';
    const made = await guard.secret(request.clientAddress, () => enter(identity, body, agent));
    const { id, ownerId, expiresAt } = made.signIn;
    const role = ownerId === null ? 'operator' : 'owner';
    await noteAudit(context, { ownerId, actor: role, action: 'signed_in', object: `session ${id}` });
    void reply.header('Set-Cookie', cookieHeader(request.raw, context, made.token));
    return await shown(id, role, ownerId ?? undefined, expiresAt);
  });

  table.add(declared.consoleSessionRead, async (call) => {
    const { signInId, role, ownerId, expiresAt } = personOf(call);
    return await shown(signInId, role, ownerId, expiresAt);
  });

  table.add(declared.consoleSessionEnd, async (call) => {
    const { signInId, ownerId = null } = personOf(call);
    await signOut(identity, signInId, ownerId);
    void call.reply.header('Set-Cookie', cookieHeader(call.request.raw, context, ''));
  });

  table.add(declared.consoleSessionList, async (call) => {
    const { signInId, role, ownerId } = personOf(call);
    const all = await signInsOf(identity, ownerId ?? null);
    const owner = ownerId === undefined ? null : await identity.ownerSlug(ownerId);
    const sessions = all.map((each) => ({
      id: each.id,
      role,
      owner,
      agent: each.agent,
      created_at: iso(each.createdAt),
      seen_at: iso(each.seenAt),
      expires_at: iso(each.expiresAt),
      current: each.id === signInId,
    }));
    return { sessions };
  });

  table.add(declared.consoleSessionRevoke, async (call) => {
    const { role: actor, ownerId = null } = personOf(call);
    const id = call.params.id ?? '';
    if (!(await signOut(identity, id, ownerId))) throw new DeliveryError('not_found');
    await noteAudit(context, { ownerId, actor, action: 'ended_session', object: `session ${id}` });
  });
}
