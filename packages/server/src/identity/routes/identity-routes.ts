import type { FastifyInstance } from 'fastify';
import type { Platform } from '../../platform.ts';
import { echoBodies } from '../../wire/delivery/body-echo.ts';
import { asDelivery } from '../../wire/delivery/plugin.ts';
import { deviceLoginRoutes } from '../device-login/device-login-routes.ts';
import { accountRoutes, ownerRegistrationRoutes } from './account-routes.ts';
import { agentRoutes } from './agent-routes.ts';
import { keyRoutes } from './key-routes.ts';
import type { IdentityService } from '../service.ts';

/** Everything identity serves, each part in the shape of the protocol it belongs to. */
export async function identityRoutes(
  app: FastifyInstance,
  context: Platform & { identity: IdentityService },
): Promise<void> {
  const { identity } = context;
  await app.register(async (scope) => agentRoutes(scope, context));
  await app.register(async (scope) => {
    asDelivery(scope, context);
    echoBodies(scope);
    for (const routes of [ownerRegistrationRoutes, accountRoutes, deviceLoginRoutes, keyRoutes]) {
      await scope.register(async (inner) => routes(inner, identity));
    }
  });
}
