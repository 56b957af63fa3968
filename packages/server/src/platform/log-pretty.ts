const COLOURS: Record<string, number> = { debug: 90, info: 36, warn: 33, error: 31 };

const HEALTH_CHECKS: ReadonlySet<unknown> = new Set(['/health', '/healthz', '/ready', '/metrics']);

/** Health checks that went well: every few seconds one, and nobody at a terminal wants to read them. */
export function isRoutine(event: string, fields: object | undefined): boolean {
  if (event !== 'http' || fields === undefined || !('path' in fields) || !('status' in fields)) return false;
  return HEALTH_CHECKS.has(fields.path) && fields.status === 200;
}

/** Turns a JSON log line into a short readable one for a terminal. */
export function prettyLine(line: string): string {
  const { level, ts, event, stack, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const time = String(ts).slice(11, 23);
  const colour = COLOURS[String(level)] ?? 0;
  const details = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  const head = `\u001b[90m${time}\u001b[0m \u001b[${colour}m${String(event)}\u001b[0m ${details.join(' ')}`;
  return typeof stack === 'string' ? `${head}\n${stack}` : head;
}

/** Plain words stay plain; anything that could move the cursor or run into the next field is quoted. */
function shown(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@%-]+$/.test(value) ? value : JSON.stringify(value);
}
