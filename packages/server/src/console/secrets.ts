/** Members of answers that let somebody in or sign for them. A page needs none of them to show what there is. */
const SECRET: ReadonlySet<string> = new Set([
  'api_key',
  'session_token',
  'webhook_secret',
  'alert_webhook_secret',
  'secret',
  'human_code',
  'room_token',
  'viewer_token',
  'token',
]);

/** In place of a secret, so that the answer keeps its shape. */
const HIDDEN = '';

/** The same answer with its secrets struck out: one that is asked for again and again must not be lying in a page. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    kept[name] = SECRET.has(name) && typeof member === 'string' ? HIDDEN : withoutSecrets(member);
  }
  return kept;
}
