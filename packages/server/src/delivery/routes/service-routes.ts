import { agentCard } from '@parley/protocol/delivery/card-routes';
import * as declared from '@parley/protocol/delivery/service-routes';
import type { FastifyInstance } from 'fastify';
import { variableName } from '../../config/settings.ts';
import { publicBase } from '../../platform/http/public-base.ts';
import type { About } from '../../platform/http/service-routes.ts';
import { type RouteShape, RouteTable } from '../../platform/http/route-table.ts';
import { sparingLoopback } from '../../platform/limits/limits.ts';
import type { Caller } from '../../wire/caller.ts';
import { deliveryShape } from '../../wire/delivery/caller.ts';
import { DeliveryError, mustPass } from '../../wire/delivery/errors.ts';
import { agentCard as cardOf } from '../agents/agent-card.ts';
import type { DeliveryContext } from '../create-module.ts';
import { readEcho, storeEcho } from '../service/echoes.ts';
import { HOUR } from '../../platform/units.ts';

/** What can be asked without a key, and the place to which a webhook can be sent to see it arrive. */
export function deliveryServiceRoutes(app: FastifyInstance, context: DeliveryContext, about: About): void {
  const { config, identity, limits, mailer, proxies } = context;
  const { settings } = context.delivery.messaging;
  const table = new RouteTable(app, openShape(context));

  table.add(declared.serviceInfo, () => ({
    ...about,
    authorization: {
      registration: identity.registrationMode,
      inbound_policy: settings.inboundPolicy,
      live_attestation: settings.liveAttestation,
      require_sender: settings.requireSender,
    },
    switched_off: [
      ...(identity.registrationMode === 'closed' ? ['registration'] : []),
      ...(limits.enabled ? [] : ['rate_limits']),
      ...(config.internalToken === undefined ? ['integrator'] : []),
      ...(mailer === undefined ? ['mailer'] : []),
    ],
  }));

  table.add(declared.echoStore, async ({ params, request }) => {
    const body = typeof request.body === 'string' ? request.body : '';
    await storeEcho(context.delivery.messaging, params.token ?? '', { body, headers: request.headers });
    return { stored: true };
  });

  table.add(agentCard, async ({ query, request, reply }) => {
    const base = publicBase(request.raw, { publicUrl: config.publicUrl, proxies });
    const named = query.agent ?? config.agentCard;
    if (base === undefined || named === undefined)
      throw new DeliveryError('agent_not_found', 'say whose card: ?agent=slug@owner');
    void reply.header('Access-Control-Allow-Origin', '*');
    return await cardOf(context, named, { base, version: about.version });
  });

  table.add(declared.echoRead, ({ params }) => readEcho(context.delivery.messaging, params.token ?? ''));
  table.refuseOtherMethods();
}

/** Routes that are declared to need no key get nobody. */
function openShape({ identity, limits, config }: DeliveryContext): RouteShape<Caller | undefined> {
  const keyed = deliveryShape(identity);
  const window = limits.slidingWindow('delivery.echo', {
    limit: config.rlEchoesPerHour,
    windowMs: HOUR,
    setting: variableName('rlEchoesPerHour'),
    byAddress: true,
  });
  const echoes = sparingLoopback(window, config.rlExemptLoopback);
  return {
    ...keyed,
    async limit(route, request) {
      if (route.name !== declared.echoStore.name) return;
      mustPass(await echoes.take(request.clientAddress));
    },
    authenticate: async (route, request) =>
      route.auth === 'none' ? undefined : await keyed.authenticate(route, request),
    async count(caller, reply) {
      if (caller) await keyed.count?.(caller, reply);
    },
  };
}
