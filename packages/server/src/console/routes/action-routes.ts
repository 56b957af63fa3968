import * as declared from '@parley/protocol/console/action-routes';
import { cancelMessage } from '../../delivery/messages/cancelling.ts';
import type { RouteTable } from '../../platform/http/route-table.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import type { ConsoleContext } from '../create-module.ts';
import { type MaybePerson, personOf } from '../shape.ts';

/** What people do at the console that no route of an owner does. */
export function actionRoutes(table: RouteTable<MaybePerson>, { delivery }: ConsoleContext): void {
  table.add(declared.consoleMessageCancel, async (call) => {
    const { role, sees, ownerId } = personOf(call);
    if (role === 'operator' && sees !== 'all') throw new DeliveryError('message_not_found');
    await cancelMessage(delivery.messaging, ownerId, call.params.id ?? '');
  });
}
