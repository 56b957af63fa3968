import type { AgentRef } from '../../wire/caller.ts';

/** An agent with its times; a deleted one is a tombstone that keeps its name. */
export interface AgentDetails extends AgentRef {
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deletedAt: number | null;
}

/** What an agent is addressed by. */
export interface AgentName {
  readonly slug: string;
  readonly ownerSlug: string;
}

/** How an agent is spelled for whoever may be of another owner. */
export const addressOf = ({ slug }: Pick<AgentRef, 'slug'>, ownerSlug: string): string =>
  `${slug}@${ownerSlug}`;
