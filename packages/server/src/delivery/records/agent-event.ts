import type { EventType } from '@parley/protocol/delivery/vocabulary';
import type { Tx } from '../../platform/database/database.ts';
import type { Json } from '../../wire/delivery/signed-json.ts';

/** Something an agent may be told of. */
export interface AgentEvent {
  /** Whose it is, by suffix. */
  readonly agent: string;
  readonly type: EventType;
  readonly payload: Readonly<Record<string, Json>>;
  /** Whose text may go with it. */
  readonly messageId?: string;
  /** Of a message that has arrived. */
  readonly priority?: number;
}

/** Where rules put what happened, in the transaction of its cause. */
export interface EventSink {
  /** Undefined: there is nobody to be told. */
  note(tx: Tx, event: AgentEvent | undefined): void;
}
