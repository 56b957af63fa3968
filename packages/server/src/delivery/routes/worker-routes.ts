import * as declared from '@parley/protocol/delivery/execution-routes';
import type { Caller } from '../../wire/caller.ts';
import { iso } from '../../wire/delivery/times.ts';
import type { RouteTable } from '../../platform/http/route-table.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { forgetWorker, workerBeat, workersOf } from '../executions/workers.ts';

/** Programs that pull work. */
export function workerRoutes(table: RouteTable<Caller>, context: MessagingContext): void {
  table.add(declared.workerBeat, async ({ caller, body }) => ({
    acknowledged: true,
    server_time: iso(await workerBeat(context, caller.ownerId, body.worker_id, body.handlers ?? null)),
  }));

  table.add(declared.workerList, async ({ caller }) => {
    const workers = await workersOf(context, caller.ownerId);
    return { workers, total: workers.length };
  });

  table.add(declared.workerForget, ({ caller, params }) =>
    forgetWorker(context, caller.ownerId, params.worker_id ?? ''),
  );
}
