import * as declared from '@parley/protocol/console/webhook-routes';
import type { RouteTable } from '../../platform/http/route-table.ts';
import type { ConsoleContext } from '../create-module.ts';
import { type MaybePerson, personOf } from '../shape.ts';
import { replayHooks, rotateHook, testHook, untakenOf, webhooksOf } from '../webhooks.ts';

/** Endpoints, and what no route of an agent does with them. */
export function webhookViewRoutes(table: RouteTable<MaybePerson>, context: ConsoleContext): void {
  table.add(declared.consoleWebhooks, (call) => webhooksOf(context, personOf(call), call.query.owner));
  table.add(declared.consoleWebhookReplay, async (call) => ({
    replayed: await replayHooks(context, personOf(call), call.params.id ?? '', call.body),
  }));
  table.add(declared.consoleWebhookUntaken, (call) =>
    untakenOf(context, personOf(call), call.params.id ?? ''),
  );
  table.add(declared.consoleWebhookTest, (call) => testHook(context, personOf(call), call.params.id ?? ''));
  table.add(declared.consoleWebhookRotate, (call) =>
    rotateHook(context, personOf(call), call.params.id ?? ''),
  );
}
