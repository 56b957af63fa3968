import type { AgentRef } from './caller.ts';

/** What an agent carries on from, as another module reads it to hand it on. */
export interface StartupView {
  readonly [field: string]: unknown;
}

/** The agent whose memory it is. */
export interface Remembering extends AgentRef {
  readonly ownerSlug: string;
}

/** Undefined when the agent has no memory of its own. */
export type StartupReader = (agent: Remembering) => Promise<StartupView | undefined>;
