import * as declared from '@parley/protocol/delivery/alert-routes';
import type { RouteTable } from '../../platform/http/route-table.ts';
import type { Caller } from '../../wire/caller.ts';
import type { AgentReach } from '../agents/reach.ts';
import { acknowledgeAlert, type AlertContext, alertPage, findAlert } from '../alerts/alerts.ts';

/** What went wrong with the owner's cues. A key of one agent sees what is its own or nobody's. */
export function alertRoutes(table: RouteTable<Caller>, alerts: AlertContext, reach: AgentReach): void {
  table.add(declared.alertList, async ({ caller, query }) =>
    alertPage(alerts, caller.ownerId, query, await reach.only(caller)),
  );

  table.add(declared.alertAcknowledge, async ({ caller, params }) => {
    const alert = await findAlert(alerts, caller.ownerId, params.id ?? '');
    const only = await reach.only(caller);
    if (only !== undefined && alert.agent !== null && alert.agent !== only) await reach.everyone(caller);
    return await acknowledgeAlert(alerts, alert);
  });
}
