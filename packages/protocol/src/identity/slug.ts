/** The form of agent slugs and owner slugs alike. */
export const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const LONGEST_SLUG = 64;
const LONGEST_DERIVED = 60;

/** Slugs that no agent may take: they are, or may become, parts of paths. */
export const RESERVED_AGENT_SLUGS: ReadonlySet<string> = new Set([
  'admin',
  'api',
  'auth',
  'billing',
  'system',
  'support',
  'roster',
  'directory',
]);

/** The agent an owner-wide key acts as. */
export const SELF_SLUG = 'self';

/** A slug made from a name or the local part of an email address. */
export function slugFrom(text: string, fallback: string): string {
  const dashed = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return withoutOuterDashes(withoutOuterDashes(dashed).slice(0, LONGEST_DERIVED)) || fallback;
}

/** The next candidate when a slug is taken. */
export function slugWithTail(slug: string, tail: string): string {
  return `${withoutOuterDashes(slug.slice(0, LONGEST_SLUG - 1 - tail.length))}-${tail}`;
}

function withoutOuterDashes(text: string): string {
  return text.replaceAll(/^-+|-+$/g, '');
}
