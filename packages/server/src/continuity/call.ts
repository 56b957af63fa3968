import type { Caller } from '../identity/caller.ts';

/** One call of an operation, however it came in. */
export interface OperationCall<Body> {
  readonly caller: Caller;
  /** After the schema. */
  readonly body: Body;
  /** As it was sent: some fields mean one thing when left out and another when empty. */
  readonly raw: unknown;
  /** Size of what was sent; unknown sizes count as large. */
  readonly bytes: number;
}
