import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { compressText } from '../../platform/http/compression.ts';
import { filledPage, guidePages, noticePage, PAGE_OR_TEXT, sendPage } from '../../wire/html-page.ts';
import { askerOf, wantsHtml } from './user-agents.ts';

/** `/guide/…`: the documents of this version, for people as pages, for programs as the Markdown they were made from. */
export async function guideRoutes(app: FastifyInstance): Promise<void> {
  compressText(app);
  app.get('/guide', (request, reply) => show('getting-started', request, reply));
  app.get('/guide/:page', (request: FastifyRequest<{ Params: { page: string } }>, reply) =>
    show(request.params.page.replace(/\.md$/, ''), request, reply),
  );
}

function show(name: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  void reply.headers(PAGE_OR_TEXT);
  const page = guidePages().find((each) => each.name === name);
  if (page === undefined) return sendPage(reply.code(404), unknownPage());
  if (!wantsHtml(askerOf(request))) return reply.type('text/markdown; charset=utf-8').send(page.source);
  return sendPage(reply, filledPage('guide', { TITLE: page.title, CONTENT: { markup: page.markup } }));
}

function unknownPage() {
  return noticePage(
    'The guide has no such page',
    'The address is mistyped, or the page has another name in this version.',
    'Begin at /guide, which lists all pages.',
  );
}
