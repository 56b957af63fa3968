import * as declared from '@parley/protocol/console/action-routes';
import * as webhooks from '@parley/protocol/console/webhook-routes';
import { releaseLapsed } from '../../delivery/executions/leases.ts';
import { cancelMessage } from '../../delivery/messages/cancelling.ts';
import type { RouteTable } from '../../platform/http/route-table.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { noteAudit } from '../audit.ts';
import type { ConsoleContext } from '../create-module.ts';
import { type MaybePerson, personOf } from '../shape.ts';
import { seesAll } from '../scope.ts';
import { replayHooks, rotateHook, testHook } from '../webhooks.ts';

/** What people do at the console that no route of an owner does. */
export function actionRoutes(table: RouteTable<MaybePerson>, context: ConsoleContext): void {
  const { delivery } = context;
  table.add(declared.consoleMessageCancel, async (call) => {
    const person = personOf(call);
    if (!seesAll(person)) throw new DeliveryError('message_not_found');
    await cancelMessage(delivery.messaging, person.ownerId, call.params.id ?? '');
  });

  table.add(declared.consoleExecutionRelease, async (call) => {
    const person = personOf(call);
    if (!seesAll(person)) throw new DeliveryError('execution_not_found');
    const id = call.params.id ?? '';
    const ownerId = await releaseLapsed(delivery.messaging, person.ownerId, id);
    await noteAudit(context, { ownerId, actor: person.role, action: 'released', object: `execution ${id}` });
  });

  table.add(webhooks.consoleWebhookReplay, async (call) => ({
    replayed: await replayHooks(context, personOf(call), call.params.id ?? '', call.body),
  }));
  table.add(webhooks.consoleWebhookTest, (call) => testHook(context, personOf(call), call.params.id ?? ''));
  table.add(webhooks.consoleWebhookRotate, (call) =>
    rotateHook(context, personOf(call), call.params.id ?? ''),
  );
}
