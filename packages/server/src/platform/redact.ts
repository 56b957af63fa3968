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

type Patterns = readonly (readonly [RegExp, string])[];

/** What a secret looks like inside a longer text: a query parameter, a URL fragment, a bearer credential, a password in a URL. */
const SECRET_TEXT: Patterns = [
  [/([?&](?:token|participant_id|key|api_key|access_token|device_code)=)[^&\s"']+/gi, `$1${REDACTED}`],
  [/#k=[^\s"'&]+/g, `#k=${REDACTED}`],
  [/\b(bearer\s+)[^\s"',]+/gi, `$1${REDACTED}`],
  [/(:\/\/[^:@/\s]+:)[^@/\s]+@/g, `$1${REDACTED}@`],
];

type RedactText = (text: string) => string;

const DEEPEST = 6;

/**
 * Makes a copy of log fields without secrets. The usual case, flat fields without any, costs one pass and no copy. Secrets
 * that name themselves are known by their prefixes: somebody puts one into a path sooner or later.
 */
export function redactor(prefixes: readonly string[]): (fields: object) => object {
  const named = prefixes.map((prefix) => prefix.replace(/\W/g, '\\$&')).join('|');
  const mayHold = new RegExp(['[?#@]', 'bearer', ...(named === '' ? [] : [named])].join('|'), 'i');
  const patterns: Patterns =
    named === ''
      ? SECRET_TEXT
      : [...SECRET_TEXT, [new RegExp(`\\b(${named})[A-Za-z0-9_-]{20,}`, 'g'), `$1${REDACTED}`]];
  const redactText = (text: string): string =>
    mayHold.test(text)
      ? patterns.reduce((clean, [pattern, instead]) => clean.replace(pattern, instead), text)
      : text;
  return (fields) => redactObject(fields, redactText, 0);
}

function redactObject(fields: object, redactText: RedactText, depth: number): object {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    const value = (fields as Record<string, unknown>)[name];
    const clean = isSecretName(name) ? REDACTED : redactValue(value, redactText, depth);
    if (clean !== value) (copy ??= { ...fields } as Record<string, unknown>)[name] = clean;
  }
  return copy ?? fields;
}

function redactValue(value: unknown, redactText: RedactText, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redactText, depth + 1));
  return redactObject(value, redactText, depth + 1);
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
