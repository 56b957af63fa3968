const REDACTED = '[redacted]';

/** Field names whose values are secrets wherever they stand. */
const SECRET_FIELDS = new Set([
  'authorization',
  'cookie',
  'token',
  'participant_id',
  'participantid',
  'api_key',
  'apikey',
  'secret',
  'password',
  'key',
  'text',
]);

/** What a secret looks like inside a longer text: a query parameter, a URL fragment, a bearer credential, a password in a URL. */
const SECRET_TEXT: readonly [RegExp, string][] = [
  [/([?&](?:token|participant_id|key|api_key|access_token|device_code)=)[^&\s"']+/gi, `$1${REDACTED}`],
  [/#k=[^\s"'&]+/g, `#k=${REDACTED}`],
  [/\b(bearer\s+)[^\s"',]+/gi, `$1${REDACTED}`],
  [/(:\/\/[^:@/\s]+:)[^@/\s]+@/g, `$1${REDACTED}@`],
  // Secrets that name themselves: somebody puts one into a path sooner or later.
  [/\b((?:ak|as|dl|rat|hc|hv|inv|cue_sk|whsec)_)[A-Za-z0-9_-]{20,}/g, `$1${REDACTED}`],
];
const MAY_HOLD_SECRET = /[?#@]|bearer|(?:ak|as|dl|rat|hc|hv|inv|sk|whsec)_/i;

const DEEPEST = 6;

/** A copy of log fields without secrets. The usual case, flat fields without any, costs one pass and no copy. */
export function redact(fields: object): object {
  return redactObject(fields, 0);
}

function redactObject(fields: object, depth: number): object {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    const value = (fields as Record<string, unknown>)[name];
    const clean = isSecretName(name) ? REDACTED : redactValue(value, depth);
    if (clean !== value) (copy ??= { ...fields } as Record<string, unknown>)[name] = clean;
  }
  return copy ?? fields;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  return redactObject(value, depth + 1);
}

const known = new Map<string, boolean>();

/** Field names are few and written in the code, so each is looked at once. */
function isSecretName(name: string): boolean {
  let secret = known.get(name);
  if (secret === undefined) {
    secret = SECRET_FIELDS.has(name.toLowerCase());
    if (known.size < 1000) known.set(name, secret);
  }
  return secret;
}

function redactText(text: string): string {
  if (!MAY_HOLD_SECRET.test(text)) return text;
  return SECRET_TEXT.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);
}
