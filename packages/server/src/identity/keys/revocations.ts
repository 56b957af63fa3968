import type { Bus, Unsubscribe } from '../../platform/bus/bus.ts';
import type { Tx } from '../../platform/database/database.ts';

const SUBJECT = 'identity.revoked';

/** Told after the commit, on every node, with the id of a key or a session that is over. */
export const onRevoked = ({ bus }: { bus: Bus }, listener: (credentialId: string) => void): Unsubscribe =>
  bus.subscribe(SUBJECT, listener);

/**
 * Tells whoever holds a connection of a credential that it is over. A hint: whoever missed it finds out with the next
 * `stillValid`.
 */
export function announceRevoked(bus: Bus, tx: Tx, credentialIds: readonly string[]): void {
  tx.afterCommit(() => {
    for (const id of credentialIds) bus.publish(SUBJECT, id);
  });
}
