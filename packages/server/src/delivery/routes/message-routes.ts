import * as declared from '@parley/protocol/delivery/message-routes';
import { MAX_PREFER_WAIT_SECONDS } from '@parley/protocol/delivery/limits';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../wire/caller.ts';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import { firstValue } from '../../platform/http/first-value.ts';
import type { RouteTable } from '../../platform/http/route-table.ts';
import type { AgentReach } from '../agents/reach.ts';
import type { Messaging } from '../create-messaging.ts';
import { messageAnswer } from '../messages/message-answer.ts';
import { sendMessage, type Sent } from '../messages/sending.ts';
import { silentPushes, silentWhenRouted } from '../messages/silent-pushes.ts';
import type { MessageView } from '../records/message-row.ts';
import { whileConnected } from '../../platform/http/while-connected.ts';
import { settledMessage, visibleMessage } from '../messages/messages.ts';
import { boxFilter, countBox, inboxPage, sentPage } from '../messages/boxes/boxes.ts';
import { giveReceipt, noteInvoked } from '../messages/receipts.ts';
import { resumeThread } from '../messages/loops/loop-breaker.ts';

/** Sending, reading and acknowledging messages, and the two boxes of an agent. */
export function messageRoutes(table: RouteTable<Caller>, context: Messaging, reach: AgentReach): void {
  const { recipients, settings } = context;
  const { spellAgent } = settings;

  const shown = async (viewer: string, views: readonly MessageView[]) => {
    const agents = views.flatMap(({ sender, recipient }) => [sender, recipient]);
    const { read } = context.database;
    const [addresses, silent] = await Promise.all([
      recipients.addresses(read, [...new Set(agents)]),
      silentPushes(read, recipients, views),
    ]);
    return views.map((view) => messageAnswer(view, view, viewer, { addresses, spellAgent, silent }));
  };

  /** What was sent just now is as it was routed; a repeat may be older. */
  const silentNow = ({ message, travel, repeated }: Sent) =>
    repeated
      ? silentPushes(context.database.read, recipients, [{ ...travel, id: message.id }])
      : silentWhenRouted(message.id, travel, settings.heartbeatThresholdMs);

  table.add(declared.messageSend, async ({ caller, body, request, reply }) => {
    const sent = await sendMessage(context, caller, {
      body,
      from: header(request, 'x-cueapi-from-agent'),
      idempotencyKey: header(request, 'idempotency-key'),
    });
    const waitMs = preferredWait(header(request, 'prefer'));
    if (waitMs > 0) void reply.header('Preference-Applied', `wait=${waitMs / 1000}`);
    const settled =
      waitMs === 0
        ? undefined
        : await settledMessage(context, caller.ownerId, sent, waitMs, whileConnected(reply));
    if (sent.downgraded) void reply.header('X-CueAPI-Priority-Downgraded', 'true');
    const answer = settled
      ? (await shown(caller.ownerId, [settled]))[0]
      : messageAnswer(sent.message, sent.travel, caller.ownerId, {
          addresses: sent.addresses,
          spellAgent,
          silent: await silentNow(sent),
        });
    return reply.code(sent.repeated ? 200 : declared.messageSend.success).send(answer);
  });

  table.add(declared.messageReadOne, async ({ caller, params }) => {
    const id = await reach.message(caller, params.id ?? '');
    const message = await visibleMessage(context, caller.ownerId, id);
    return (await shown(caller.ownerId, [message]))[0];
  });

  table.add(declared.messageMarkRead, async ({ caller, params }) => {
    const id = await reach.receipt(caller, params.id ?? '');
    const message = await giveReceipt(context, caller.ownerId, id, 'read');
    return { delivery_state: message.state, read_at: isoOrNull(message.read_at) };
  });

  table.add(declared.messageInvoked, async ({ caller, params, body }) => {
    const id = await reach.receipt(caller, params.id ?? '');
    const message = await noteInvoked(context, caller.ownerId, id, body.bridge ?? null);
    return {
      proven_stage: message.proven_stage,
      invoked_at: iso(message.invoked_at ?? message.updated_at),
      invoked_by: message.invoked_by,
    };
  });

  table.add(declared.messageAck, async ({ caller, params }) => {
    const id = await reach.receipt(caller, params.id ?? '');
    const message = await giveReceipt(context, caller.ownerId, id, 'acked');
    return { delivery_state: message.state, acked_at: iso(message.acked_at ?? message.updated_at) };
  });

  table.add(declared.inbox, async ({ caller, params, query, reply }) => {
    const ref = await reach.agent(caller, params.ref ?? '');
    const filter = await boxFilter(context, caller.ownerId, ref, 'inbox', query);
    if (query.count_only) return { count: await countBox(context, filter) };
    const page = await inboxPage(context, filter, query, whileConnected(reply));
    const { limit, offset } = query;
    return { messages: await shown(caller.ownerId, page.messages), total: page.total, limit, offset };
  });

  table.add(declared.sent, async ({ caller, params, query }) => {
    const ref = await reach.agent(caller, params.ref ?? '');
    const filter = await boxFilter(context, caller.ownerId, ref, 'sent', query);
    if (query.count_only) return { count: await countBox(context, filter) };
    const page = await sentPage(context, filter, query);
    const { limit, offset } = query;
    return { messages: await shown(caller.ownerId, page.messages), total: page.total, limit, offset };
  });

  table.add(declared.threadResume, async ({ caller, params }) => {
    const id = params.id ?? '';
    await resumeThread(context, caller.ownerId, id);
    return { thread_id: id, hops: 0, resumed: true };
  });
}

const header = ({ headers }: FastifyRequest, name: string): string | undefined => firstValue(headers[name]);

/** `Prefer: wait=N`, in milliseconds; a preference that makes no sense is none. */
function preferredWait(prefer: string | undefined): number {
  const seconds = Number(/(?:^|[,;\s])wait\s*=\s*"?(\d{1,4})\b/i.exec(prefer ?? '')?.[1] ?? 0);
  return Math.min(seconds, MAX_PREFER_WAIT_SECONDS) * 1000;
}
