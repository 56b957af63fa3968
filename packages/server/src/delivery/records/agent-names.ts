/** How the agents of messages are called. */
export interface AgentNames {
  /** `slug@owner` by suffix. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly spellAgent: (suffix: string) => string;
}

export const party = ({ addresses, spellAgent }: AgentNames, suffix: string) => ({
  agent_id: spellAgent(suffix),
  slug: addresses.get(suffix) ?? '',
});
