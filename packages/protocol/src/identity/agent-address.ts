import { parseAgentId } from './agent-id.ts';
import { SLUG } from './slug.ts';

/** An agent as a caller names it: by id, as `slug@owner`, or by bare slug within the caller's own owner. */
export type AgentAddress =
  | { readonly form: 'id'; readonly suffix: string }
  | { readonly form: 'slug'; readonly slug: string; readonly owner: string | undefined };

/** Undefined when the text is no address at all. What looks like an id is never tried as a slug. */
export function parseAgentAddress(text: string): AgentAddress | undefined {
  const trimmed = text.trim();
  const suffix = parseAgentId(trimmed);
  if (suffix !== undefined) return { form: 'id', suffix };
  const lower = trimmed.toLowerCase();
  if (lower.includes('@')) {
    const [slug = '', owner = '', ...rest] = lower.split('@');
    return slug !== '' && owner !== '' && rest.length === 0 ? { form: 'slug', slug, owner } : undefined;
  }
  return SLUG.test(lower) ? { form: 'slug', slug: lower, owner: undefined } : undefined;
}
