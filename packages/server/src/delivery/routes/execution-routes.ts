import * as declared from '@parley/protocol/delivery/execution-routes';
import { isExecutionId } from '@parley/protocol/delivery/ids';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../wire/caller.ts';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import type { Params, RouteTable } from '../../platform/http/route-table.ts';
import type { AgentReach } from '../agents/reach.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { attemptsOf } from '../executions/attempt-store.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import { whileConnected } from '../../platform/http/while-connected.ts';
import { claimExecution, claimNext, claimableNow } from '../executions/claims.ts';
import { claimLive } from '../executions/live-claims.ts';
import type { Cues } from '../cues/create-cues.ts';
import { replayRun } from '../cues/runs/replaying.ts';
import { replayExecution } from '../executions/replay.ts';
import {
  begunAnswer,
  claimableAnswers,
  executionAnswers,
  takenPayloads,
} from '../executions/execution-answers.ts';
import { listExecutions } from '../executions/execution-list.ts';
import { readExecution } from '../records/execution-store.ts';
import { extendLease } from '../executions/leases.ts';
import { reportOutcome } from '../executions/outcomes.ts';
import { addEvidence, markVerificationPending, verifyOutcome } from '../executions/verification.ts';
import { forgetWorker, workerBeat, workersOf } from '../executions/workers.ts';

/** Executions: looking at them, claiming them, running them again; what came of them; and the programs that pull them. */
export function executionRoutes(
  table: RouteTable<Caller>,
  context: MessagingContext,
  reach: AgentReach,
  cues: Cues,
): void {
  const { database, settings } = context;

  /** The id in the path, of an execution that the caller may look at and work on. */
  const reached = (caller: Caller, params: Params) => reach.execution(caller, params.id ?? '');

  const readOne = async (caller: Caller, params: Params): Promise<ExecutionRow> => {
    const id = await reached(caller, params);
    const execution = isExecutionId(id) ? await readExecution(database.read, caller.ownerId, id) : undefined;
    if (!execution) throw new DeliveryError('execution_not_found');
    return execution;
  };

  /** Whose executions a list may hold, beside those of nobody; undefined for everybody's. */
  const within = async (caller: Caller, ref: string | undefined): Promise<string | undefined> => {
    if (ref === undefined) return await reach.only(caller);
    await reach.agent(caller, ref);
    return undefined;
  };

  const claimed = async (execution: ExecutionRow) => ({
    claimed: true,
    execution_id: execution.id,
    lease_seconds: settings.workerLeaseMs / 1000,
    lease_expires_at: iso(execution.lease_expires_at ?? 0),
    payload: (await takenPayloads(context, database.read, [execution])).get(execution.id) ?? {},
  });

  table.add(declared.executionList, async ({ caller, query }) => {
    const only = await within(caller, query.agent);
    const {
      executions: rows,
      total,
      oldestClaimedAt,
    } = await listExecutions(context, caller.ownerId, query, only);
    const { limit, offset } = query;
    return {
      executions: await executionAnswers(context, database.read, rows),
      total,
      limit,
      offset,
      has_more: offset + rows.length < total,
      oldest_claimed_at: isoOrNull(oldestClaimedAt),
    };
  });

  table.add(declared.executionClaimable, async ({ caller, query, reply }) => {
    const only = await within(caller, query.agent);
    const rows = await claimableNow(context, caller.ownerId, query, only, whileConnected(reply));
    return { executions: await claimableAnswers(context, database.read, rows) };
  });

  table.add(declared.executionClaimNext, async ({ caller, body }) => {
    const only = await within(caller, body.agent ?? undefined);
    return claimed(await claimNext(context, caller.ownerId, body.worker_id, { ...body, only }));
  });

  table.add(declared.executionRead, async ({ caller, params }) => {
    const execution = await readOne(caller, params);
    return (await executionAnswers(context, database.read, [execution]))[0];
  });

  table.add(declared.executionAttempts, async ({ caller, params }) => {
    const { id } = await readOne(caller, params);
    const attempts = await attemptsOf(database.read, id);
    return { attempts: attempts.map((attempt) => ({ ...attempt, at: iso(attempt.at) })) };
  });

  table.add(declared.executionClaim, async ({ caller, params, body }) =>
    claimed(await claimExecution(context, caller.ownerId, await reached(caller, params), body.worker_id)),
  );

  table.add(declared.executionBeat, async ({ caller, params, request }) => {
    const id = await reached(caller, params);
    const until = await extendLease(context, caller.ownerId, id, workerOf(request));
    return { execution_id: id, lease_extended_until: iso(until), acknowledged: true };
  });

  table.add(declared.executionLiveClaim, async ({ caller, params, body }) =>
    claimLive(context, caller.ownerId, await reached(caller, params), body),
  );

  table.add(declared.executionReplay, async ({ caller, params }) => {
    const { id, source } = await readOne(caller, params);
    const execution =
      source === 'cue'
        ? await replayRun(cues, caller.ownerId, id)
        : await replayExecution(context, caller.ownerId, id);
    return {
      ...begunAnswer(execution),
      replayed_from: execution.replayed_from,
    };
  });

  table.add(declared.executionOutcome, async ({ caller, params, body }) => {
    const id = await reached(caller, params);
    const recorded = await reportOutcome(context, caller.ownerId, id, body);
    return { execution_id: id, outcome_recorded: true, ...recorded };
  });

  for (const route of [declared.executionEvidence, declared.executionEvidencePost]) {
    table.add(route, async ({ caller, params, body }) => {
      const id = await reached(caller, params);
      const state = await addEvidence(context, caller.ownerId, id, body);
      return { execution_id: id, outcome_state: state, evidence_updated: true };
    });
  }

  table.add(declared.executionVerify, async ({ caller, params, body }) => {
    const id = await reached(caller, params);
    const { valid, reason = null } = body;
    const state = await verifyOutcome(context, caller.ownerId, id, { valid, reason });
    return { execution_id: id, outcome_state: state, valid, reason };
  });

  table.add(declared.executionVerificationPending, async ({ caller, params }) => {
    const id = await reached(caller, params);
    return { execution_id: id, outcome_state: await markVerificationPending(context, caller.ownerId, id) };
  });

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

function workerOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['x-worker-id'];
  return typeof given === 'string' && given.trim() !== '' ? given.trim() : undefined;
}
