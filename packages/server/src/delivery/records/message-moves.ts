import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/database.ts';
import { isOver, type MessageEvent, nextMessageState } from './message-states.ts';
import type { DeliverySettings } from '../settings.ts';
import type { MessageRow } from './message-row.ts';
import { type MessagePatch, moveMessage } from './message-store.ts';
import type { Sweeps } from './sweeps.ts';
import type { Delta, Tallies } from './tallies.ts';

export interface MessageMovesOptions {
  clock: Clock;
  settings: DeliverySettings;
  tallies: Tallies;
  sweeps: Sweeps;
}

/** Which times an event writes. Whoever has read or acked a message had it, by whatever way it came. */
const STAMPS: Readonly<Record<MessageEvent, readonly Stamp[]>> = {
  attempt_started: [],
  attempt_delivered: ['delivered_at'],
  attempt_to_retry: [],
  push_failed: ['failed_at'],
  claimed: ['delivered_at'],
  lease_lost: [],
  fetched: ['delivered_at'],
  read: ['delivered_at', 'read_at'],
  acked: ['delivered_at', 'acked_at'],
  expired: [],
};

type Stamp = 'delivered_at' | 'read_at' | 'acked_at' | 'failed_at';

/** Moves messages from state to state, with everything that is counted and scheduled by it. */
export class MessageMoves {
  readonly #options: MessageMovesOptions;

  constructor(options: MessageMovesOptions) {
    this.#options = options;
  }

  /** The message is locked by the caller. Comes back as it is when its state does not take the event. */
  async apply(
    tx: Tx,
    message: MessageRow,
    event: MessageEvent,
    patch: Pick<MessagePatch, 'dispatch_error'> = {},
  ): Promise<MessageRow> {
    const to = nextMessageState(message.state, event);
    if (to === undefined) return message;
    const now = this.#options.clock.now();
    const stamps = Object.fromEntries(STAMPS[event].map((stamp) => [stamp, message[stamp] ?? now]));
    const change: MessagePatch = { ...patch, ...stamps, updated_at: now };
    await moveMessage(tx, message.id, to, change);
    await this.#options.tallies.add(tx, movedDeltas(message, to));
    if (isOver(to))
      await this.#options.sweeps.ensure(tx, now + this.#options.settings.removalAfterTerminalMs);
    else if (message.expires_at <= now) await this.#options.sweeps.ensure(tx, now);
    return { ...message, ...change, state: to };
  }
}

/** What ended before it was due was never in the inbox. */
export function movedDeltas(
  message: Pick<MessageRow, 'sender' | 'recipient' | 'state' | 'queued_at'>,
  to: MessageRow['state'],
): Delta[] {
  const { sender, recipient, state } = message;
  const sent: Delta[] = [
    { agent: sender, box: 'sent', state, by: -1 },
    { agent: sender, box: 'sent', state: to, by: 1 },
  ];
  if (message.queued_at === null) return sent;
  return [
    { agent: recipient, box: 'inbox', state, by: -1 },
    { agent: recipient, box: 'inbox', state: to, by: 1 },
    ...sent,
  ];
}
