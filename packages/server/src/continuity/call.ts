import type { Caller } from '../wire/caller.ts';
import type { MemoryContext } from './memory-context.ts';

/** One call of an operation, however it came in. */
export interface OperationCall<Body> {
  readonly caller: Caller;
  /** After the schema. */
  readonly body: Body;
  /** As it was sent: some fields mean one thing when left out and another when empty. */
  readonly raw: unknown;
  /** Size of what was sent, 0 where nobody knows: it only decides how early a capsule is measured. */
  readonly bytes: number;
}

export type MemoryOperation<Body> = (memory: MemoryContext, call: OperationCall<Body>) => Promise<object>;
