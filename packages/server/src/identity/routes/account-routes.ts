import * as declared from '@parley/protocol/identity/routes';
import type { FastifyInstance } from 'fastify';
import { DeliveryError, deliveryRefusals, mustPass } from '../../wire/delivery/errors.ts';
import { type RouteShape, RouteTable } from '../../platform/http/route-table.ts';
import { rotateKey } from '../keys/keys.ts';
import { readAccount, updateAccount } from '../owners/account.ts';
import { rotateAccountSecret, signingSecrets } from '../owners/account-secrets.ts';
import { usageAnswer } from '../owners/usage.ts';
import type { AccountSecretName } from '../owners/account-secret-store.ts';
import { registerOwner, RegistrationRefused } from '../owners/registration.ts';
import type { IdentityService } from '../service.ts';
import { deliveryShape, requireConfirmation, showLimit } from '../../wire/delivery/caller.ts';
import { inviteOf } from './invite-header.ts';
import { iso } from '../../wire/delivery/times.ts';

/** `POST /v1/auth/register`, the one call without a key. */
export function ownerRegistrationRoutes(app: FastifyInstance, identity: IdentityService): void {
  const shape: RouteShape<undefined> = {
    ...deliveryRefusals,
    authenticate: async () => undefined,
    async limit(_route, request, reply) {
      if (identity.registrationMode === 'closed') throw new DeliveryError('not_found');
      const { registrations } = identity.limiters;
      const verdict = await registrations.take(request.clientAddress);
      showLimit(reply, identity.requestLimits.shown(await registrations.standing?.(request.clientAddress)));
      mustPass(verdict);
    },
  };
  const table = new RouteTable(app, shape);
  table.add(declared.registerOwner, async ({ body, request }) => {
    const invite = inviteOf(request, body.invite);
    const { owner, apiKey } = await registerOwner(identity, body.email, invite).catch(refuseRegistration);
    return { api_key: apiKey, email: owner.email, slug: owner.slug, id: owner.id };
  });
  table.refuseOtherMethods();
}

export function refuseRegistration(error: unknown): never {
  if (!(error instanceof RegistrationRefused)) throw error;
  throw new DeliveryError(error.reason === 'closed' ? 'not_found' : 'invite_required');
}

/** `/v1/auth/*` for owners: the account, its key and its signing secrets. */
export function accountRoutes(app: FastifyInstance, identity: IdentityService): void {
  const table = new RouteTable(app, deliveryShape(identity));

  table.add(declared.readAccount, async ({ caller }) => ({
    ...accountAnswer(await readAccount(identity, caller.ownerId)),
    rate_limit_per_minute: identity.requestLimits.perMinute(caller.plan),
    api_key_prefix: caller.keyPrefix,
  }));

  table.add(declared.readUsage, ({ caller }) => usageAnswer(identity, caller));

  table.add(declared.patchAccount, async ({ caller, body }) => {
    const { updatedAt, warning } = await updateAccount(identity, caller.ownerId, body);
    return { updated_at: iso(updatedAt), ...(warning !== undefined && { warning }) };
  });

  table.add(declared.regenerateKey, async ({ caller, request }) => {
    requireConfirmation(request);
    if (caller.credential.kind === 'internal') throw new DeliveryError('owner_key_required');
    const minted = await rotateKey(identity, caller.ownerId, caller.keyId);
    if (!minted) throw new DeliveryError('key_rotated');
    return { api_key: minted.secret, previous_key_revoked: true };
  });

  const secretRoutes = (
    name: AccountSecretName,
    read: typeof declared.readWebhookSecret | typeof declared.readAlertSecret,
    rotate: typeof declared.rotateWebhookSecret | typeof declared.rotateAlertSecret,
  ): void => {
    table.add(read, async ({ caller }) => ({
      [name]: (await signingSecrets(identity, caller.ownerId, name)).current,
    }));
    table.add(rotate, async ({ caller, request, body }) => {
      requireConfirmation(request);
      const rotated = await rotateAccountSecret(identity, caller.ownerId, name, body.overlap_seconds);
      const { secret, previousUntil } = rotated;
      return {
        [name]: secret,
        previous_secret_revoked: previousUntil === null,
        ...(previousUntil !== null && { previous_valid_until: iso(previousUntil) }),
      };
    });
  };
  secretRoutes('webhook_secret', declared.readWebhookSecret, declared.rotateWebhookSecret);
  secretRoutes('alert_webhook_secret', declared.readAlertSecret, declared.rotateAlertSecret);
  table.refuseOtherMethods();
}

function accountAnswer({ owner, plan, usage }: Awaited<ReturnType<typeof readAccount>>): object {
  return {
    id: owner.id,
    email: owner.email,
    slug: owner.slug,
    plan: owner.plan,
    active_cues: usage.activeCues,
    active_cue_limit: plan.activeCues,
    executions_this_month: usage.executionsThisMonth,
    monthly_execution_limit: plan.executionsPerMonth,
    messages_this_month: usage.messagesThisMonth,
    monthly_message_limit: plan.messagesPerMonth,
    // Made when it is first asked for: whoever looks finds one, from the first day on.
    has_webhook_secret: true,
  };
}
