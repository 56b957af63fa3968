import {
  patchAccount,
  readAccount,
  readAlertSecret,
  readUsage,
  readWebhookSecret,
  regenerateKey,
  registerOwner,
  rotateAlertSecret,
  rotateWebhookSecret,
} from '@parley/protocol/identity/routes';
import type { FastifyInstance } from 'fastify';
import { DeliveryError, deliveryRefusals, rateLimitExceeded } from '../../wire/delivery/errors.ts';
import { DELIVERY_BODY_LIMIT } from '../../wire/delivery/plugin.ts';
import { type RouteShape, RouteTable } from '../../platform/http/route-table.ts';
import type { AccountView } from '../owners/account.ts';
import type { AccountSecretName } from '../owners/account-secret-store.ts';
import { RegistrationRefused } from '../owners/registration.ts';
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
      if (identity.registration.mode === 'closed') throw new DeliveryError('not_found');
      const { registrations } = identity.limiters;
      const verdict = await registrations.take(request.clientAddress);
      showLimit(reply, identity.requestLimits.shown(await registrations.standing?.(request.clientAddress)));
      if (!verdict.ok) throw rateLimitExceeded(verdict);
    },
  };
  const table = new RouteTable(app, shape, { bodyLimit: DELIVERY_BODY_LIMIT });
  table.add(registerOwner, async ({ body, request }) => {
    const invite = inviteOf(request, body.invite);
    const { owner, apiKey } = await identity.registration.owner(body.email, invite).catch(refuse);
    return { api_key: apiKey, email: owner.email, slug: owner.slug, id: owner.id };
  });
  table.refuseOtherMethods();
}

function refuse(error: unknown): never {
  if (!(error instanceof RegistrationRefused)) throw error;
  throw new DeliveryError(error.reason === 'closed' ? 'not_found' : 'invite_required');
}

/** `/v1/auth/*` for owners: the account, its key and its signing secrets. */
export function accountRoutes(app: FastifyInstance, identity: IdentityService): void {
  const { account, accountSecrets, keys } = identity;
  const table = new RouteTable(app, deliveryShape(identity), { bodyLimit: DELIVERY_BODY_LIMIT });

  table.add(readAccount, async ({ caller }) => ({
    ...accountAnswer(await account.read(caller.ownerId)),
    rate_limit_per_minute: identity.requestLimits.perMinute(caller.plan),
    api_key_prefix: caller.keyPrefix,
  }));

  table.add(readUsage, ({ caller }) => identity.usage(caller));

  table.add(patchAccount, async ({ caller, body }) => {
    const { updatedAt, warning } = await account.update(caller.ownerId, {
      email: body.email,
      slug: body.slug,
      alertWebhookUrl: body.alert_webhook_url,
    });
    return { updated_at: iso(updatedAt), ...(warning !== undefined && { warning }) };
  });

  table.add(regenerateKey, async ({ caller, request }) => {
    requireConfirmation(request);
    if (caller.credential.kind === 'internal') throw new DeliveryError('owner_key_required');
    const minted = await keys.rotate(caller.ownerId, caller.keyId);
    if (!minted) throw new DeliveryError('key_rotated');
    return { api_key: minted.secret, previous_key_revoked: true };
  });

  const rotate = async (
    ownerId: string,
    name: AccountSecretName,
    overlapSeconds: number,
  ): Promise<object> => {
    const { secret, previousUntil } = await accountSecrets.rotate(ownerId, name, overlapSeconds);
    return {
      [name]: secret,
      previous_secret_revoked: previousUntil === null,
      ...(previousUntil !== null && { previous_valid_until: iso(previousUntil) }),
    };
  };

  table.add(readWebhookSecret, async ({ caller }) => ({
    webhook_secret: await accountSecrets.read(caller.ownerId, 'webhook_secret'),
  }));
  table.add(rotateWebhookSecret, ({ caller, request, body }) => {
    requireConfirmation(request);
    return rotate(caller.ownerId, 'webhook_secret', body.overlap_seconds);
  });
  table.add(readAlertSecret, async ({ caller }) => ({
    alert_webhook_secret: await accountSecrets.read(caller.ownerId, 'alert_webhook_secret'),
  }));
  table.add(rotateAlertSecret, ({ caller, request, body }) => {
    requireConfirmation(request);
    return rotate(caller.ownerId, 'alert_webhook_secret', body.overlap_seconds);
  });
  table.refuseOtherMethods();
}

function accountAnswer({ owner, plan, usage }: AccountView): object {
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
