/** What a key may do. `admin:peers` passes every scope and namespace check. */
export const SCOPES = [
  'read:files',
  'read:index',
  'write:journal',
  'write:messages',
  'write:projects',
  'search',
  'compact:trigger',
  'admin:peers',
  'replication:sync',
  'manage:agents',
] as const;

export type Scope = (typeof SCOPES)[number];

export const ADMIN_SCOPE: Scope = 'admin:peers';
/** Acting on other agents of the same owner, and reading what is theirs. */
export const MANAGE_AGENTS_SCOPE: Scope = 'manage:agents';

export const OWNER_KEY_SCOPES: readonly Scope[] = SCOPES;
export const AGENT_KEY_SCOPES: readonly Scope[] = SCOPES.filter(
  (scope) => scope !== ADMIN_SCOPE && scope !== 'replication:sync' && scope !== MANAGE_AGENTS_SCOPE,
);
/** Of the key that an owner begins with who registered as an agent: nobody else could manage that owner's agents. */
export const FOUNDING_KEY_SCOPES: readonly Scope[] = [...AGENT_KEY_SCOPES, MANAGE_AGENTS_SCOPE];

export const ALL_NAMESPACES: readonly string[] = ['*'];

export function hasScope(scopes: readonly string[], scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes(ADMIN_SCOPE);
}

/** A path is inside a namespace when it equals the prefix or continues it after a slash. */
export function inNamespaces(namespaces: readonly string[], path: string): boolean {
  return namespaces.some((prefix) => prefix === '*' || path === prefix || path.startsWith(`${prefix}/`));
}
