import * as declared from '@parley/protocol/channels/routes';
import { MAX_BODY_BYTES } from '@parley/protocol/channels/limits';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Platform } from '../platform.ts';
import { type Eventually, eventually } from '../platform/eventually.ts';
import { bareResponse } from '../platform/http/bare-response.ts';
import { onOtherMethods } from '../platform/http/other-methods.ts';
import { shapeErrors, takeBodiesAsText } from '../platform/http/server.ts';
import { TurnEnd } from '../platform/turn-end.ts';
import { ChannelError } from './errors.ts';
import type { PollOutcome } from './parked-polls.ts';
import { shareMessage, shareMessageHuman } from './pages/prose/pages.ts';
import { baseOf } from './request-base.ts';
import { neededFields, parseBody, readQuery, sendFields, streamStart } from './requests.ts';
import type { ChannelService, LimitKind } from './service.ts';
import { keepNowhere } from '../platform/http/no-store.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

interface ChannelRoute {
  Params: { id: string };
  Querystring: Record<string, string | string[]>;
}

/** A check that comes before the body is read, and before anything else is looked at. */
const first = (declaration: RouteDeclaration, check: (address: string) => Eventually<void>) => ({
  config: { declaration },
  onRequest: (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    eventually(
      () => check(request.clientAddress),
      () => done(),
      done,
    );
  },
});

/** `POST /channels` and everything under `/channels/:id`. */
export async function channelRoutes(
  app: FastifyInstance,
  context: Platform & { channels: ChannelService },
): Promise<void> {
  const { channels, log } = context;
  const answers = new TurnEnd(log.failed('answer_failed'));
  takeBodiesAsText(app, MAX_BODY_BYTES);
  shapeChannelErrors(app, context);
  keepNowhere(app);
  const limited = (route: RouteDeclaration, kind: LimitKind) =>
    first(route, (address) => channels.spend(kind, address));

  app.post(
    '/channels',
    first(declared.create, (address) => channels.admitCreator(address)),
    async (request) => {
      const base = baseOf(request, context);
      const { channelId, token } = await channels.create(request.clientAddress);
      const joinUrl = `${base}/c/${channelId}?token=${token}#k=__KEY__`;
      return {
        channel_id: channelId,
        token,
        api_join_url: `${base}/channels/${channelId}/join`,
        api_poll_url: `${base}/channels/${channelId}/poll`,
        api_send_url: `${base}/channels/${channelId}/send`,
        share_message: shareMessage({ joinUrl }),
        share_message_human: shareMessageHuman({ joinUrl }),
      };
    },
  );

  app.post<ChannelRoute>('/channels/:id/join', limited(declared.join, 'joins'), async (request) => {
    const body = neededFields(parseBody(request.body), ['token', 'name'], 'missing_token_or_name');
    const joined = await channels.join(request.params.id, {
      token: body.token,
      name: body.name,
      keyFp: body.key_fp,
      resume: body.resume,
    });
    return {
      participant_id: joined.participantId,
      participants: joined.participants,
      roster: joined.roster,
      cursor: joined.cursor,
      ...(joined.resumed && { resumed: true, name: joined.name }),
    };
  });

  app.post<ChannelRoute>('/channels/:id/send', limited(declared.send, 'messages'), (request, reply) => {
    const body = sendFields(parseBody(request.body));
    const input = {
      token: body.token,
      participantId: body.participant_id,
      text: body.text,
      clientId: body.client_id,
    };
    const answer = ({ index, duplicate }: { index: number; duplicate: boolean }): void => {
      // Its text is shorter to write than to serialise.
      const json = duplicate
        ? `{"ok":true,"index":${index},"duplicate":true}`
        : `{"ok":true,"index":${index}}`;
      answers.add(() => void reply.header('Content-Type', JSON_TYPE).send(json));
    };
    eventually(
      () => channels.send(request.params.id, input),
      answer,
      (error) => void reply.send(error),
    );
  });

  app.get<ChannelRoute>(
    '/channels/:id/poll',
    { config: { declaration: declared.poll }, exposeHeadRoute: false },
    (request, reply) => {
      const query = readQuery(request.query, request.headers);
      const answer = (outcome: PollOutcome): void => answerPoll(reply, outcome, query.roster);
      const onPark = (forget: () => void): void => void reply.raw.on('close', forget);
      channels.poll(request.params.id, query, answer, onPark).catch((error: unknown) => reply.send(error));
    },
  );

  app.get<ChannelRoute>(
    '/channels/:id/events',
    { config: { declaration: declared.events } },
    async (request, reply) => {
      const query = readQuery(request.query, request.headers);
      const since = streamStart(query.since, request.headers);
      if (request.method === 'HEAD') {
        await channels.mayFollow(request.params.id, query, since);
        return reply.type('text/event-stream').send();
      }
      const open = await channels.follow(request.params.id, query, since);
      open(bareResponse(reply));
      reply.hijack();
      return reply;
    },
  );

  app.post<ChannelRoute>(
    '/channels/:id/leave',
    { config: { declaration: declared.leave } },
    async (request) => {
      const missing = 'missing_token_or_participant_id';
      const body = neededFields(parseBody(request.body), ['token', 'participant_id'], missing);
      await channels.leave(request.params.id, { token: body.token, participantId: body.participant_id });
      return { ok: true };
    },
  );

  for (const [path, allow] of Object.entries(ALLOWED)) {
    onOtherMethods(app, `/channels${path}`, () => {
      throw new ChannelError('method_not_allowed', { allow });
    });
  }
}

const ALLOWED = {
  '': 'POST',
  '/:id/join': 'POST',
  '/:id/send': 'POST',
  '/:id/poll': 'GET',
  '/:id/events': 'GET, HEAD',
  '/:id/leave': 'POST',
};

function answerPoll(reply: FastifyReply, outcome: PollOutcome, withRoster: boolean): void {
  if (outcome.kind === 'gone' || (outcome.kind === 'unread' && withRoster)) {
    void reply.send(outcome.error);
    return;
  }
  if (outcome.kind === 'unread' || (outcome.kind === 'nothing' && !withRoster)) {
    void reply.code(204).header('Parley-Cursor', outcome.cursor).send();
    return;
  }
  const body = outcome.kind === 'events' ? outcome.body : outcome.body();
  void reply.header('Content-Type', JSON_TYPE).send(body);
}

/** A body that broke off, or that the framework could not take. */
const UNREADABLE_BODY = /^(?:ECONNRESET|FST_ERR_CTP_\w+|FST_ERR_ROUTE_MISSING_CONTENT_TYPE)$/;

export function shapeChannelErrors(app: FastifyInstance, { log }: Pick<Platform, 'log'>): void {
  shapeErrors(app, log, {
    tooLarge: () => new ChannelError('body_too_large'),
    known: (code) => (UNREADABLE_BODY.test(code) ? new ChannelError('invalid_json') : undefined),
    unexpected: (requestId) => new ChannelError('internal_error', { request_id: requestId }),
  });
}
