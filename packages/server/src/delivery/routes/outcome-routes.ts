import * as declared from '@parley/protocol/delivery/execution-routes';
import type { Caller } from '../../wire/caller.ts';
import type { RouteTable } from '../../platform/http/route-table.ts';
import type { AgentReach } from '../agents/reach.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { reportOutcome } from '../executions/outcomes.ts';
import { addEvidence, markVerificationPending, verifyOutcome } from '../executions/verification.ts';

/** What came of executions, and whether it holds. */
export function outcomeRoutes(table: RouteTable<Caller>, context: MessagingContext, reach: AgentReach): void {
  table.add(declared.executionOutcome, async ({ caller, params, body }) => {
    const id = await reach.execution(caller, params.id ?? '');
    const recorded = await reportOutcome(context, caller.ownerId, id, body);
    return { execution_id: id, outcome_recorded: true, ...recorded };
  });

  for (const route of [declared.executionEvidence, declared.executionEvidencePost]) {
    table.add(route, async ({ caller, params, body }) => {
      const id = await reach.execution(caller, params.id ?? '');
      const state = await addEvidence(context, caller.ownerId, id, body);
      return { execution_id: id, outcome_state: state, evidence_updated: true };
    });
  }

  table.add(declared.executionVerify, async ({ caller, params, body }) => {
    const id = await reach.execution(caller, params.id ?? '');
    const { valid, reason = null } = body;
    const state = await verifyOutcome(context, caller.ownerId, id, { valid, reason });
    return { execution_id: id, outcome_state: state, valid, reason };
  });

  table.add(declared.executionVerificationPending, async ({ caller, params }) => {
    const id = await reach.execution(caller, params.id ?? '');
    return { execution_id: id, outcome_state: await markVerificationPending(context, caller.ownerId, id) };
  });
}
