import { API } from '@parley/protocol/api';
import type { FastifyInstance } from 'fastify';
import { askerOf, wantsHtml } from '../channels/pages/user-agents.ts';
import { compressText } from '../platform/http/compression.ts';
import { filledPage, PAGE_OR_TEXT, sendPage } from '../wire/html-page.ts';

/** `/docs`: every call, for people as a page on which calls can be tried, for programs as Markdown. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  compressText(app);
  app.get('/docs', (request, reply) => {
    void reply.headers(PAGE_OR_TEXT);
    if (wantsHtml(askerOf(request))) return sendPage(reply, filledPage('reference', {}));
    return reply.type('text/markdown; charset=utf-8').send(markdown());
  });
}

const markdown = (): string =>
  [
    '# All calls',
    'Schemas, examples and errors are in `/openapi.json`, explanations in `/guide`, tools for models at `/v1/mcp`.',
    ...API.flatMap(({ name, summary, routes }) => [
      `## ${name}`,
      summary,
      [
        '| call | who may | does |\n| --- | --- | --- |',
        ...routes.map(
          ({ method, path, auth, summary: does }) => `| \`${method} ${path}\` | ${auth} | ${does} |`,
        ),
      ].join('\n'),
    ]),
    '',
  ].join('\n\n');
