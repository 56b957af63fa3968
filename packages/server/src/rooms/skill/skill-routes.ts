import { declareRoute } from '@parley/protocol/route';
import type { FastifyInstance } from 'fastify';
import type { Platform } from '../../platform.ts';
import { compressText } from '../../platform/http/compression.ts';
import { allowOrigins } from '../../platform/http/cors.ts';
import { publicBase } from '../../platform/http/public-base.ts';
import { echoRequestNames } from '../../platform/http/request-id.ts';
import { RouteTable } from '../../platform/http/route-table.ts';
import { RoomsError, roomsRefusals, shapeRoomsErrors } from '../../wire/rooms/errors.ts';
import { roomsCors } from '../../wire/rooms/paths.ts';
import { MODULE_PAGES, playbook } from './playbook.ts';
import { keepNowhere } from '../../platform/http/no-store.ts';

const declarePage = (name: string, path: string) =>
  declareRoute({
    name,
    method: 'GET',
    path,
    auth: 'none',
    summary: 'A page for agents.',
    success: 200,
    media: 'text/markdown',
  });

/** `/skill.md` and a page per module: for agents, with the URL under which the caller reaches this server. */
export async function skillRoutes(app: FastifyInstance, context: Platform): Promise<void> {
  const { config, log, proxies, random } = context;
  shapeRoomsErrors(app, log);
  echoRequestNames(app, random);
  compressText(app);
  allowOrigins(app, roomsCors(config.corsOrigins));
  keepNowhere(app);
  const table = new RouteTable(
    app,
    { ...roomsRefusals, authenticate: async () => undefined },
    { bodyLimit: 1024 },
  );
  const serve = (name: string, path: string, page: (base: string) => string): void =>
    table.add(declarePage(name, path), ({ request, reply }) => {
      const base = publicBase(request.raw, { publicUrl: config.publicUrl, proxies });
      if (base === undefined) {
        throw new RoomsError(
          'invalid_request',
          'Host: must be a name or an address, with a port or without.',
        );
      }
      return reply
        .type('text/markdown; charset=utf-8')
        .header('Cache-Control', 'public, max-age=300')
        .send(page(base));
    });
  serve('skill', '/skill.md', playbook);
  for (const [module, page] of Object.entries(MODULE_PAGES)) {
    serve(`skill.${module}`, `/skill/${module}.md`, page);
  }
  table.refuseOtherMethods();
}
