import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Platform } from '../../platform.ts';
import { filledPage, type HtmlPage, noticePage, sendIcon, sendPage } from '../../wire/html-page.ts';
import { compressText } from '../../platform/http/compression.ts';
import { type OwnedPaths, ownerOfPath, sendUnrouted } from '../../platform/http/unrouted.ts';
import { loggablePath } from '../../platform/log.ts';
import { ChannelError } from '../errors.ts';
import { claudeUserStub, initiatorPage, joinerPage, notFoundMarkdown, skillPage } from './prose/pages.ts';
import { baseOf } from '../request-base.ts';
import { firstValue } from '../../platform/http/first-value.ts';
import { shapeChannelErrors } from '../routes.ts';
import {
  helpersScript,
  initiatorBootstrap,
  joinerBootstrap,
  loopScript,
  skillInstaller,
} from './shell/scripts.ts';
import { askerOf, callerOf, wantsHtml } from './user-agents.ts';
import { keepNowhere } from '../../platform/http/no-store.ts';

type LinkRequest = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, string | string[]> }>;

const HEX = /^[0-9a-f]+$/i;
const MARKDOWN = 'text/markdown; charset=utf-8';
const PLAIN = 'text/plain; charset=utf-8';
const BY_CALLER = 'User-Agent, Accept';

/** Pages and scripts for agents and people; also what answers where nothing is routed. */
export async function pageRoutes(app: FastifyInstance, context: Platform): Promise<void> {
  shapeChannelErrors(app, context);
  compressText(app);
  keepNowhere(app);

  app.get('/', (request, reply) => {
    const base = baseOf(request, context);
    void reply.header('Vary', BY_CALLER);
    return wantsHtml(askerOf(request))
      ? sendPage(reply, landingPage(base))
      : reply.type(MARKDOWN).send(initiatorPage({ base }));
  });
  app.get('/llms.txt', (request, reply) =>
    reply.type(MARKDOWN).send(initiatorPage({ base: baseOf(request, context) })),
  );
  app.get('/agentalk/skill.md', (request, reply) =>
    reply.type(MARKDOWN).send(skillPage({ base: baseOf(request, context) })),
  );

  app.get('/favicon.ico', (_request, reply) => sendIcon(reply));

  const scripts = {
    '/bootstrap.sh': initiatorBootstrap,
    '/loop.sh': loopScript,
    '/helpers.sh': helpersScript,
    '/skill.sh': skillInstaller,
  };
  for (const [url, script] of Object.entries(scripts)) {
    app.get(url, (request, reply) => reply.type(PLAIN).send(script({ base: baseOf(request, context) })));
  }

  app.get('/c/:id/bootstrap.sh', (request: LinkRequest, reply) => {
    const { id, token } = link(request);
    if (!HEX.test(id) || !HEX.test(token)) throw new ChannelError('invalid_channel_or_token');
    return reply.type(PLAIN).send(joinerBootstrap({ base: baseOf(request, context), channelId: id, token }));
  });

  app.get('/c/:id', (request: LinkRequest, reply) => {
    const base = baseOf(request, context);
    const { id, token } = link(request);
    void reply.header('Vary', BY_CALLER).header('Referrer-Policy', 'no-referrer');
    const caller = callerOf(askerOf(request));
    if (caller === 'claude-web-fetch') {
      return reply.type(MARKDOWN).send(claudeUserStub({ base, channelId: id, token }));
    }
    if (caller === 'agent') return reply.type(MARKDOWN).send(joinerPage({ base, channelId: id, token }));
    if (HEX.test(id) && HEX.test(token)) return sendPage(reply, chatPage(id, token));
    return sendPage(reply.code(400), incompleteLink());
  });
}

/** Unrouted requests: in the shape of the protocol that owns the path, else as a page. */
export function answerUnrouted(
  app: FastifyInstance,
  context: Platform,
  protocols: readonly OwnedPaths[],
): void {
  shapeChannelErrors(app, context);
  app.setNotFoundHandler((request, reply) => {
    const owner = ownerOfPath(protocols, request.url);
    if (owner) return sendUnrouted(owner, request, reply, context.random);
    void reply.code(404).headers({ Vary: BY_CALLER, 'Cache-Control': 'no-store' });
    const path = loggablePath(request.originalUrl);
    if (wantsHtml(askerOf(request))) return sendPage(reply, unknownPage(path));
    return reply
      .type(MARKDOWN)
      .send(notFoundMarkdown({ base: baseOf(request, context), method: request.method, path }));
  });
}

function incompleteLink(): HtmlPage {
  return noticePage(
    'This link is incomplete',
    'Part of the address is missing, so the conversation cannot be found. Nothing was lost.',
    'Ask whoever sent it for the whole link, and open it in one piece.',
  );
}

function unknownPage(path: string): HtmlPage {
  return noticePage(
    'There is no page here',
    `Nothing is served at ${path.slice(0, 200)}.`,
    'Check the address, or start at the front page.',
  );
}

function link(request: LinkRequest): { id: string; token: string } {
  return { id: request.params.id, token: firstValue(request.query.token) ?? '' };
}

const chatPage = (channel: string, token: string): HtmlPage =>
  filledPage('channel-chat', { CHANNEL: channel, TOKEN: token });

export const landingPage = (base: string): HtmlPage => filledPage('landing', { BASE: base });
