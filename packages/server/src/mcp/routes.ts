import { mcp } from '@parley/protocol/mcp/routes';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IdentityService } from '../identity/service.ts';
import type { About } from '../platform/http/service-routes.ts';
import { shapeErrors, takeBodiesAsText } from '../platform/http/server.ts';
import type { OwnedPaths } from '../platform/http/unrouted.ts';
import type { Platform } from '../platform.ts';
import type { ResourceSubscriptions } from './subscriptions.ts';
import { mayAsk } from './origin.ts';
import { comeBack, INTERNAL_ERROR, INVALID_REQUEST, RpcError } from './rpc-error.ts';

const PATH = mcp.path;
const LARGEST_MESSAGE = 262_144;

type McpRoutesContext = Platform & {
  readonly identity: IdentityService;
  readonly mcp: ResourceSubscriptions;
};

/** The endpoint of MCP clients. What answers is loaded with the first message: a server that has none need not wait for it. */
export async function mcpRoutes(
  app: FastifyInstance,
  context: McpRoutesContext,
  about: About,
): Promise<void> {
  const { config, log, identity } = context;
  const allowed = [...config.corsOrigins, ...(config.publicUrl ? [new URL(config.publicUrl).origin] : [])];
  takeBodiesAsText(app, LARGEST_MESSAGE);
  shapeErrors(app, log, {
    tooLarge: () =>
      new RpcError(INVALID_REQUEST, `Request body too large: at most ${LARGEST_MESSAGE} bytes`, {
        status: 413,
      }),
    unexpected: () => new RpcError(INTERNAL_ERROR, 'Internal error', { status: 500 }),
    away: () => comeBack(503),
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    void reply.header('Cache-Control', 'no-store').header('Vary', 'Origin');
    if (!mayAsk(origin, allowed))
      return done(new RpcError(403, 'Forbidden: this origin may not ask', { status: 403 }));
    if (origin !== undefined) nameOrigin(reply, origin);
    done();
  });
  const endpoint = { config, identity, log, about, subscriptions: context.mcp };
  app.post(PATH, { config: { declaration: mcp } }, async (request, reply) => {
    const { answer } = await import('./endpoint.ts');
    return await answer(app, endpoint, request, reply);
  });
  app.options(PATH, (_request, reply) => preflight(reply));
  app.route({ method: ['GET', 'PUT', 'PATCH', 'DELETE'], url: PATH, handler: onlyPost });
}

function nameOrigin(reply: FastifyReply, origin: string): void {
  void reply
    .header('Access-Control-Allow-Origin', origin)
    .header('Access-Control-Expose-Headers', 'WWW-Authenticate');
}

const ASKED_WITH = [
  'Authorization',
  'Content-Type',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
  'Last-Event-ID',
  'Parley-Tools',
];

const preflight = (reply: FastifyReply): FastifyReply =>
  reply
    .code(204)
    .headers({
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': ASKED_WITH.join(', '),
      'Access-Control-Max-Age': '600',
    })
    .send();

function onlyPost(_request: FastifyRequest, _reply: FastifyReply): never {
  throw new RpcError(INVALID_REQUEST, 'Method Not Allowed: messages are posted', {
    status: 405,
    headers: { Allow: 'POST' },
  });
}

const REFUSED = { host: 421, origin: 403, disk: 507 } as const;

/** The endpoint looks at origins itself: pages of this machine may ask without a credential. */
export const mcpPaths: OwnedPaths = {
  prefixes: [PATH],
  echoesRequestIds: false,
  notFound: () => new RpcError(INVALID_REQUEST, 'Not Found', { status: 404 }),
  notLetIn: ({ reason, text }) => new RpcError(REFUSED[reason], text, { status: REFUSED[reason] }),
  needNoRoom: new Set(),
  provenByBody: new Set([PATH]),
  malformed: () => new RpcError(INVALID_REQUEST, 'Malformed percent escape in path', { status: 400 }),
};
