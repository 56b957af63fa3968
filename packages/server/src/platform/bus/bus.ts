/**
 * Hints only: "something changed in X". A hint may be lost, repeated or late; whoever listens looks the change up in the
 * store, so a lost hint costs latency and nothing else.
 */
export interface Bus {
  publish(subject: string, hint?: string): void;
  subscribe(subject: string, listener: BusListener): Unsubscribe;
  /**
   * Told whenever hints of other nodes may have been lost: every few seconds, and when the connection to them is back. Whoever
   * holds something open then looks itself. Never told where there are no other nodes.
   */
  onGap(listener: () => void): Unsubscribe;
  /** Resolves when what was published until now is on its way to all nodes, or lost. */
  sent(): Promise<void>;
  /** Resolves when what other nodes sent until now was heard, or is lost. */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

/** Called with the publisher's hint, or an empty string when it gave none. */
export type BusListener = (hint: string) => void;

export type Unsubscribe = () => void;
