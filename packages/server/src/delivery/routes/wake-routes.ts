import * as declared from '@parley/protocol/delivery/wake-routes';
import type { RouteTable } from '../../platform/http/route-table.ts';
import type { Caller } from '../../wire/caller.ts';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import { reachedAgent } from '../agents/agents.ts';
import type { AgentSide } from '../create-agents.ts';
import type { Messaging } from '../create-messaging.ts';
import { newestReceipts, type ReceiptRow } from '../wakes/receipt-store.ts';
import { noteWake } from '../wakes/receipts.ts';

/** What an agent's bridge says about its wakes. */
export function wakeRoutes(table: RouteTable<Caller>, agents: AgentSide, messaging: Messaging): void {
  table.add(declared.agentWakeReceipt, async ({ caller, params, body }) => {
    const agent = await reachedAgent(agents, caller, params);
    return wakeAnswer(await noteWake(messaging, agent, body));
  });

  table.add(declared.agentWakes, async ({ caller, params, query }) => {
    const { suffix } = await reachedAgent(agents, caller, params);
    const rows = await newestReceipts(messaging.database.read, suffix, query.limit);
    return { wakes: rows.map(wakeAnswer) };
  });
}

const wakeAnswer = ({ kind, ref, bridge, ...at }: ReceiptRow) => ({
  kind,
  id: ref,
  bridge,
  delivered_at: iso(at.delivered_at),
  invoked_at: isoOrNull(at.invoked_at),
  resumed_at: isoOrNull(at.resumed_at),
  updated_at: iso(at.updated_at),
});
