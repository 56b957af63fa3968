import type { Handoff, Peer, Reconciliation, SharedState } from '@parley/protocol/coordination/artifacts';
import * as routes from '@parley/protocol/coordination/routes';
import type * as sent from '@parley/protocol/coordination/sent';
import { memoryCaller } from '../memory/memory-caller.ts';
import type { CallerOptions, RouteCaller } from '../route-caller.ts';

/** Of a change: what is on disk now. */
interface Written {
  ok: true;
  path: string;
  latest_commit: string | null;
}
interface Found {
  ok: true;
  count: number;
  total_matches: number;
  warnings: string[];
}

export interface HandoffAnswer {
  ok: true;
  handoff: Handoff;
  path: string;
}
export interface HandoffList extends Found {
  handoffs: Handoff[];
}
export interface SharedList extends Found {
  shared_artifacts: SharedState[];
}
export interface SharedAnswer {
  ok: true;
  shared: SharedState;
  path: string;
}
export interface ReconciliationAnswer {
  ok: true;
  reconciliation: Reconciliation;
  path: string;
}

/**
 * What the peers of one owner exchange.
 *
 * ```ts
 * const coordination = new CoordinationClient({ server: 'http://127.0.0.1:7330', key });
 * await coordination.handOver({ recipient_peer: 'night-shift', subject_kind: 'thread', subject_id: 'tide-cache' });
 * ```
 */
export class CoordinationClient {
  readonly #caller: RouteCaller;

  constructor(options: CallerOptions) {
    this.#caller = memoryCaller(options);
  }

  handOver(request: sent.SentHandoff): Promise<HandoffAnswer & Written & { created: true }> {
    return this.#caller.call(routes.handoffCreate, { body: request });
  }

  handoff(handoffId: string): Promise<HandoffAnswer> {
    return this.#caller.call(routes.handoffRead, { path: [handoffId] });
  }

  handoffs(filter: sent.SentHandoffsQuery): Promise<HandoffList> {
    return this.#caller.call(routes.handoffsQuery, { query: filter });
  }

  consume(
    handoffId: string,
    request: sent.SentConsume,
  ): Promise<HandoffAnswer & Written & { updated: boolean }> {
    return this.#caller.call(routes.handoffConsume, { path: [handoffId], body: request });
  }

  share(request: sent.SentShared): Promise<SharedAnswer & Written & { created: true }> {
    return this.#caller.call(routes.sharedCreate, { body: request });
  }

  shared(sharedId: string): Promise<SharedAnswer> {
    return this.#caller.call(routes.sharedRead, { path: [sharedId] });
  }

  sharedStates(filter: sent.SentSharedQuery): Promise<SharedList> {
    return this.#caller.call(routes.sharedQuery, { query: filter });
  }

  /** All of it is replaced; of several writers of one version the first wins, and the others get a 409. */
  updateShared(
    sharedId: string,
    request: sent.SentSharedUpdate,
  ): Promise<SharedAnswer & Written & { updated: true; warnings: string[] }> {
    return this.#caller.call(routes.sharedUpdate, { path: [sharedId], body: request });
  }

  openReconciliation(
    request: sent.SentReconciliation,
  ): Promise<ReconciliationAnswer & Written & { created: true }> {
    return this.#caller.call(routes.reconciliationOpen, { body: request });
  }

  reconciliation(reconciliationId: string): Promise<ReconciliationAnswer> {
    return this.#caller.call(routes.reconciliationRead, { path: [reconciliationId] });
  }

  reconciliations(
    filter: sent.SentReconciliationsQuery,
  ): Promise<Found & { reconciliations: Reconciliation[] }> {
    return this.#caller.call(routes.reconciliationsQuery, { query: filter });
  }

  resolve(
    reconciliationId: string,
    request: sent.SentResolve,
  ): Promise<ReconciliationAnswer & Written & { updated: boolean }> {
    return this.#caller.call(routes.reconciliationResolve, { path: [reconciliationId], body: request });
  }

  peers(): Promise<{ ok: true; count: number; peers: Peer[]; updated_at: string | null }> {
    return this.#caller.call(routes.peerList);
  }

  registerPeer(
    request: sent.SentPeer,
  ): Promise<{ ok: true; peer: Peer; created: boolean; committed: boolean; latest_commit: string | null }> {
    return this.#caller.call(routes.peerRegister, { body: request });
  }

  trustPeer(
    peerId: string,
    request: sent.SentTrust,
  ): Promise<{ ok: true; peer: Peer; committed: boolean; latest_commit: string | null }> {
    return this.#caller.call(routes.peerTrust, { path: [peerId], body: request });
  }
}
