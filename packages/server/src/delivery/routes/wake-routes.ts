import * as declared from '@parley/protocol/delivery/wake-routes';
import type { RouteTable } from '../../platform/http/route-table.ts';
import type { Caller } from '../../wire/caller.ts';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import { ownAgent } from '../agents/agents.ts';
import type { AgentSide } from '../create-agents.ts';
import type { Messaging } from '../create-messaging.ts';
import { newestReceipts, type ReceiptRow } from '../wakes/receipt-store.ts';
import { noteWake } from '../wakes/receipts.ts';

/** What an agent's bridge says about its wakes. */
export function wakeRoutes(table: RouteTable<Caller>, agents: AgentSide, messaging: Messaging): void {
  table.add(declared.agentWakeReceipt, async ({ caller, params, body }) => {
    await agents.reach.agent(caller, params.ref ?? '');
    const agent = await ownAgent(agents, caller.ownerId, params.ref ?? '');
    return wakeAnswer(await noteWake(messaging, agent, { ...body, bridge: body.bridge ?? null }));
  });

  table.add(declared.agentWakes, async ({ caller, params, query }) => {
    await agents.reach.agent(caller, params.ref ?? '');
    const { suffix } = await ownAgent(agents, caller.ownerId, params.ref ?? '');
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
