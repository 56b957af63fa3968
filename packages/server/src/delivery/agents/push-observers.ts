import type { Tx } from '../../platform/database/database.ts';
import type { PushObserver } from '../routing/recipient.ts';

/** Whoever wants to know what happens to agents and their sessions, told one after the other. */
export class PushObservers implements PushObserver {
  readonly #observers: Partial<PushObserver>[] = [];

  add(observer: Partial<PushObserver>): void {
    this.#observers.push(observer);
  }

  async sessionDetached(tx: Tx, session: { readonly id: string; readonly agent: string }): Promise<void> {
    for (const observer of this.#observers) await observer.sessionDetached?.(tx, session);
  }

  async sessionFresh(tx: Tx, session: { readonly id: string; readonly agent: string }): Promise<void> {
    for (const observer of this.#observers) await observer.sessionFresh?.(tx, session);
  }

  async agentDeleted(tx: Tx, agent: string): Promise<void> {
    for (const observer of this.#observers) await observer.agentDeleted?.(tx, agent);
  }
}
