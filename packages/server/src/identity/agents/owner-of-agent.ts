/** The account of an agent, as part of a statement: for a module that gives its rows a column for it. It never changes. */
export const ownerOfAgent = (agent: string): string =>
  `(SELECT owner_id FROM agents WHERE suffix = ${agent})`;
