import type { FastifyInstance } from 'fastify';
import { guideRoutes } from './channels/pages/guide-routes.ts';
import { answerUnrouted, pageRoutes } from './channels/pages/page-routes.ts';
import { channelRoutes } from './channels/routes.ts';
import { cliRoutes } from './cli-download.ts';
import type { AppContext } from './context.ts';
import { memoryLimits, memoryPaths } from './wire/memory/plugin.ts';
import { admitPeople } from './console/gate.ts';
import { consolePageRoutes } from './console/page-routes.ts';
import { consoleRoutes } from './console/routes/console-routes.ts';
import { continuityRoutes } from './continuity/routes.ts';
import { coordinationRoutes } from './coordination/routes.ts';
import { deliveryPaths } from './wire/delivery/plugin.ts';
import { deliveryRoutes } from './delivery/routes/delivery-routes.ts';
import { discoveryRoutes } from './discovery/routes.ts';
import { identityRoutes } from './identity/routes/identity-routes.ts';
import { knowledgeRoutes } from './knowledge/routes.ts';
import { helpRoutes } from './mcp/help/help-routes.ts';
import { mcpPaths, mcpRoutes } from './mcp/routes.ts';
import { createHttpServer } from './platform/http/server.ts';
import { serviceRoutes } from './platform/http/service-routes.ts';
import { roomPageRoutes } from './rooms/page-routes.ts';
import { roomsPaths } from './wire/rooms/paths.ts';
import { roomRoutes } from './rooms/routes/room-routes.ts';
import { skillRoutes } from './rooms/skill/skill-routes.ts';
import { scheduleRoutes } from './schedule/routes.ts';
import { CONTRACT_VERSION, SERVICE, VERSION } from './version.ts';

/** Registers the platform's routes, then each protocol as a plugin with its own error shape. */
export async function createApp(context: AppContext): Promise<FastifyInstance> {
  const protocols = [roomsPaths(context.config.corsOrigins), memoryPaths, mcpPaths, deliveryPaths];
  // Counted together: a bucket for each operation, whichever module it is of.
  const memory = memoryLimits(context.config, context.limits);
  const app = createHttpServer({ ...context, protocols });
  admitPeople(app, context);
  const about = { service: SERVICE, version: VERSION, contract_version: CONTRACT_VERSION };
  await app.register(async (scope) => serviceRoutes(scope, { ...context, about }));
  await app.register(async (scope) => channelRoutes(scope, context));
  await app.register(async (scope) => identityRoutes(scope, context));
  await app.register(async (scope) => deliveryRoutes(scope, context, about));
  await app.register(async (scope) => roomRoutes(scope, context));
  await app.register(async (scope) => continuityRoutes(scope, context, memory));
  await app.register(async (scope) => scheduleRoutes(scope, context, memory));
  await app.register(async (scope) => knowledgeRoutes(scope, context, memory));
  await app.register(async (scope) => coordinationRoutes(scope, context, memory));
  await app.register(async (scope) => mcpRoutes(scope, context, about));
  await app.register(async (scope) => helpRoutes(scope, context));
  await app.register(async (scope) => consoleRoutes(scope, context, about));
  await app.register(async (scope) => skillRoutes(scope, context));
  await app.register(async (scope) => discoveryRoutes(scope, context, about));
  await app.register(async (scope) => roomPageRoutes(scope, context));
  await app.register(async (scope) => consolePageRoutes(scope, context));
  await app.register(guideRoutes);
  await app.register(async (scope) => cliRoutes(scope, context));
  await app.register(async (scope) => pageRoutes(scope, context));
  await app.register(async (scope) => answerUnrouted(scope, context, protocols));
  return app;
}
