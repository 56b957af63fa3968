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
import type { ExecutionSource, OutcomeState, Trigger } from '@parley/protocol/delivery/vocabulary';
import type { DeliveryServer } from './delivery-server.ts';

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
  readonly #server: DeliveryServer;

  constructor(server: DeliveryServer) {
    this.#server = server;
  }

  list(filter: ExecutionFilter = {}): Promise<ExecutionListAnswer> {
    return this.#server.call(routes.executionList, { query: { ...filter } });
  }

  read(id: string): Promise<ExecutionAnswer> {
    return this.#server.call(routes.executionRead, { ids: [id] });
  }

  attempts(id: string): Promise<AttemptsAnswer> {
    return this.#server.call(routes.executionAttempts, { ids: [id] });
  }

  /** What can be claimed now; with `wait` the call is held until there is something. */
  claimable(
    filter: { task?: string; agent?: string; wait?: number; limit?: number; signal?: AbortSignal } = {},
  ): Promise<ClaimableAnswer> {
    const { signal, ...query } = filter;
    return this.#server.call(routes.executionClaimable, { query, signal });
  }

  claim(id: string, workerId: string): Promise<ClaimedAnswer> {
    return this.#server.call(routes.executionClaim, { ids: [id], body: { worker_id: workerId } });
  }

  claimNext(request: SentClaimNext): Promise<ClaimedAnswer> {
    return this.#server.call(routes.executionClaimNext, { body: request });
  }

  /** Keeps a claim for another quarter of an hour. */
  beat(id: string, workerId: string): Promise<LeaseExtended> {
    return this.#server.call(routes.executionBeat, { ids: [id], headers: { 'x-worker-id': workerId } });
  }

  outcome(id: string, outcome: SentOutcome): Promise<OutcomeRecorded> {
    return this.#server.call(routes.executionOutcome, { ids: [id], body: outcome });
  }

  evidence(id: string, evidence: SentEvidence): Promise<EvidenceUpdated> {
    return this.#server.call(routes.executionEvidence, { ids: [id], body: evidence });
  }

  verify(id: string, verdict: { valid?: boolean; reason?: string } = {}): Promise<VerifiedAnswer> {
    return this.#server.call(routes.executionVerify, { ids: [id], body: verdict });
  }

  replay(id: string): Promise<ReplayedAnswer> {
    return this.#server.call(routes.executionReplay, { ids: [id] });
  }
}
