/** An agent is one row with one suffix. Each protocol spells it with its own prefix, and every one accepts both. */
export const AGENT_SUFFIX_LENGTH = 12;

const SPELLING = /^(?:agent|agt)_([a-z0-9]{12})$/;

export const agentId = {
  rooms: (suffix: string): string => `agt_${suffix}`,
  delivery: (suffix: string): string => `agent_${suffix}`,
};

/** The spelling of answers that leave it to the operator. */
export const spellingWith = (prefix: 'agent_' | 'agt_'): ((suffix: string) => string) =>
  prefix === 'agt_' ? agentId.rooms : agentId.delivery;

/** The suffix of an agent id in either spelling, or undefined when it is none. */
export function parseAgentId(text: string): string | undefined {
  return SPELLING.exec(text.trim())?.[1];
}
