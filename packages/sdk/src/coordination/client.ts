import * as routes from '@parley/protocol/coordination/routes';
import type * as sent from '@parley/protocol/coordination/sent';
import type { AnswerOf } from '@parley/protocol/route';
import { memoryCaller } from '../memory/memory-caller.ts';
import type { CallerOptions, RouteCaller } from '../route-caller.ts';

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

  handOver(request: sent.SentHandoff): Promise<AnswerOf<typeof routes.handoffCreate>> {
    return this.#caller.call(routes.handoffCreate, { body: request });
  }

  handoff(handoffId: string): Promise<AnswerOf<typeof routes.handoffRead>> {
    return this.#caller.call(routes.handoffRead, { path: [handoffId] });
  }

  handoffs(filter: sent.SentHandoffsQuery): Promise<AnswerOf<typeof routes.handoffsQuery>> {
    return this.#caller.call(routes.handoffsQuery, { query: filter });
  }

  consume(handoffId: string, request: sent.SentConsume): Promise<AnswerOf<typeof routes.handoffConsume>> {
    return this.#caller.call(routes.handoffConsume, { path: [handoffId], body: request });
  }

  share(request: sent.SentShared): Promise<AnswerOf<typeof routes.sharedCreate>> {
    return this.#caller.call(routes.sharedCreate, { body: request });
  }

  shared(sharedId: string): Promise<AnswerOf<typeof routes.sharedRead>> {
    return this.#caller.call(routes.sharedRead, { path: [sharedId] });
  }

  sharedStates(filter: sent.SentSharedQuery): Promise<AnswerOf<typeof routes.sharedQuery>> {
    return this.#caller.call(routes.sharedQuery, { query: filter });
  }

  /** All of it is replaced; of several writers of one version the first wins, and the others get a 409. */
  updateShared(
    sharedId: string,
    request: sent.SentSharedUpdate,
  ): Promise<AnswerOf<typeof routes.sharedUpdate>> {
    return this.#caller.call(routes.sharedUpdate, { path: [sharedId], body: request });
  }

  openReconciliation(request: sent.SentReconciliation): Promise<AnswerOf<typeof routes.reconciliationOpen>> {
    return this.#caller.call(routes.reconciliationOpen, { body: request });
  }

  reconciliation(reconciliationId: string): Promise<AnswerOf<typeof routes.reconciliationRead>> {
    return this.#caller.call(routes.reconciliationRead, { path: [reconciliationId] });
  }

  reconciliations(
    filter: sent.SentReconciliationsQuery,
  ): Promise<AnswerOf<typeof routes.reconciliationsQuery>> {
    return this.#caller.call(routes.reconciliationsQuery, { query: filter });
  }

  resolve(
    reconciliationId: string,
    request: sent.SentResolve,
  ): Promise<AnswerOf<typeof routes.reconciliationResolve>> {
    return this.#caller.call(routes.reconciliationResolve, { path: [reconciliationId], body: request });
  }

  peers(): Promise<AnswerOf<typeof routes.peerList>> {
    return this.#caller.call(routes.peerList);
  }

  registerPeer(request: sent.SentPeer): Promise<AnswerOf<typeof routes.peerRegister>> {
    return this.#caller.call(routes.peerRegister, { body: request });
  }

  trustPeer(peerId: string, request: sent.SentTrust): Promise<AnswerOf<typeof routes.peerTrust>> {
    return this.#caller.call(routes.peerTrust, { path: [peerId], body: request });
  }
}
