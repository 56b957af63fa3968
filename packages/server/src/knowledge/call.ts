import type { Caller } from '../wire/caller.ts';

/** One call of an operation, however it came in. */
export interface KnowledgeCall<Body, Query = undefined> {
  readonly caller: Caller;
  /** After the schema. */
  readonly body: Body;
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
}
