import * as routes from '@parley/protocol/delivery/execution-routes';
import type { SentClaimNext, SentEvidence, SentOutcome } from '@parley/protocol/delivery/sent';
import type {
  AttemptsAnswer,
  ClaimableAnswer,
  ClaimedAnswer,
  EvidenceUpdated,
  ExecutionAnswer,
  ExecutionListAnswer,
  LeaseExtended,
  OutcomeRecorded,
  ReplayedAnswer,
  VerifiedAnswer,
} from '@parley/protocol/delivery/types';
import type { AnswerOf, BodyOf } from '@parley/protocol/route';
import type { ExecutionSource, OutcomeState, Trigger } from '@parley/protocol/delivery/vocabulary';
import type { RouteCaller } from '../route-caller.ts';

export interface ExecutionFilter {
  cue_id?: string | undefined;
  agent?: string | undefined;
  message_id?: string | undefined;
  source?: ExecutionSource | undefined;
  status?: string | undefined;
  outcome_state?: OutcomeState | undefined;
  triggered_by?: Trigger | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
}

/** What was started, what came of it, and for workers what there is to do. */
export class Executions {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  list(filter: ExecutionFilter = {}): Promise<ExecutionListAnswer> {
    return this.#caller.call(routes.executionList, { query: { ...filter } });
  }

  read(id: string): Promise<ExecutionAnswer> {
    return this.#caller.call(routes.executionRead, { path: [id] });
  }

  attempts(id: string): Promise<AttemptsAnswer> {
    return this.#caller.call(routes.executionAttempts, { path: [id] });
  }

  /** What can be claimed now; with `wait` the call is held until there is something. */
  claimable(
    filter: { task?: string; agent?: string; wait?: number; limit?: number; signal?: AbortSignal } = {},
  ): Promise<ClaimableAnswer> {
    const { signal, ...query } = filter;
    return this.#caller.call(routes.executionClaimable, { query, signal });
  }

  claim(id: string, workerId: string): Promise<ClaimedAnswer> {
    return this.#caller.call(routes.executionClaim, { path: [id], body: { worker_id: workerId } });
  }

  claimNext(request: SentClaimNext): Promise<ClaimedAnswer> {
    return this.#caller.call(routes.executionClaimNext, { body: request });
  }

  /** Keeps a claim for another quarter of an hour. */
  beat(id: string, workerId: string): Promise<LeaseExtended> {
    return this.#caller.call(routes.executionBeat, { path: [id], headers: { 'x-worker-id': workerId } });
  }

  outcome(id: string, outcome: SentOutcome): Promise<OutcomeRecorded> {
    return this.#caller.call(routes.executionOutcome, { path: [id], body: outcome });
  }

  evidence(id: string, evidence: SentEvidence): Promise<EvidenceUpdated> {
    return this.#caller.call(routes.executionEvidence, { path: [id], body: evidence });
  }

  verify(id: string, verdict: { valid?: boolean; reason?: string } = {}): Promise<VerifiedAnswer> {
    return this.#caller.call(routes.executionVerify, { path: [id], body: verdict });
  }

  replay(id: string): Promise<ReplayedAnswer> {
    return this.#caller.call(routes.executionReplay, { path: [id] });
  }

  /** For a live session that was offered it. */
  liveClaim(
    id: string,
    claim: BodyOf<typeof routes.executionLiveClaim>,
  ): Promise<AnswerOf<typeof routes.executionLiveClaim>> {
    return this.#caller.call(routes.executionLiveClaim, { path: [id], body: claim });
  }

  /** Somebody has to look at what it brought before it counts. */
  awaitVerification(id: string): Promise<AnswerOf<typeof routes.executionVerificationPending>> {
    return this.#caller.call(routes.executionVerificationPending, { path: [id], body: {} });
  }
}
