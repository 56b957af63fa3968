import type { Bus, Unsubscribe } from '../../platform/bus/bus.ts';
import type { Tx } from '../../platform/database/database.ts';

const SUBJECT = 'identity.revoked';

/**
 * Tells whoever holds a connection of a credential that it is over. A hint, on every node: whoever missed it finds out
 * with the next `stillValid`.
 */
export class Revocations {
  readonly #bus: Bus;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  onRevoked(listener: (credentialId: string) => void): Unsubscribe {
    return this.#bus.subscribe(SUBJECT, listener);
  }

  announce(tx: Tx, credentialIds: readonly string[]): void {
    tx.afterCommit(() => {
      for (const id of credentialIds) this.#bus.publish(SUBJECT, id);
    });
  }
}
