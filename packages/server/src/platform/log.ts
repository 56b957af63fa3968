import { destination, type DestinationStream } from 'pino';
import { redactor } from './redact.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LEVELS)[number];

/** One JSON line per event. The event name is the first argument, everything else is a field. */
export interface Log {
  debug(event: string, fields?: object): void;
  info(event: string, fields?: object): void;
  warn(event: string, fields?: object): void;
  error(event: string, fields?: object): void;
  /** For whoever catches: writes an error that nobody awaits under this name. */
  failed(event: string, grade?: 'warn' | 'error'): (error: unknown) => void;
  /** Graver events than this are written; may be changed while the server runs. */
  level: LogLevel;
  /** Blocks until everything logged so far is written. */
  flush(): void;
}

export interface LogOptions {
  level: LogLevel;
  /** Where lines go: standard output unless a test listens. */
  stream?: DestinationStream;
  pretty?: boolean;
  /** How secrets begin that name themselves. What follows is in no line. */
  secretPrefixes: readonly string[];
}

/** Entries are gathered up to this many or for this long, so that logging costs no system call per request. */
const GATHER_ENTRIES = 100;
const GATHER_MS = 100;

interface Entry {
  readonly head: string;
  readonly at: number;
  readonly event: string;
  readonly fields: object | undefined;
}

/**
 * Two lines per request are a large part of what a request costs, so a request only leaves its fields here; they
 * become lines many at a time. Fields must not change after they were logged.
 */
export function createLog({ level: first, stream, pretty = false, secretPrefixes }: LogOptions): Log {
  const file = stream ? undefined : destination({ fd: 1, sync: false });
  const sink: DestinationStream = stream ?? file ?? process.stdout;
  const toLine = lineMaker(pretty, redactor(secretPrefixes));
  const gather = file ? GATHER_ENTRIES : 1;
  let entries: Entry[] = [];
  let level = first;
  let least = LEVELS.indexOf(first);

  const handOver = (): void => {
    if (entries.length === 0) return;
    const lines = entries.map(toLine).join('');
    entries = [];
    sink.write(lines);
  };
  const timer = file && setInterval(handOver, GATHER_MS).unref();
  const write = (grade: LogLevel): Log['info'] => {
    const rank = LEVELS.indexOf(grade);
    const head = `{"level":"${grade}","ts":"`;
    return (event, fields) => {
      if (rank < least) return;
      if (pretty && isRoutine(event, fields)) return;
      if (entries.push({ head, at: Date.now(), event, fields }) >= gather) handOver();
    };
  };
  return {
    get level() {
      return level;
    },
    set level(chosen) {
      level = chosen;
      least = LEVELS.indexOf(chosen);
    },
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    failed(event, grade = 'error') {
      const tell = write(grade);
      return (error) => tell(event, errorFields(error));
    },
    flush() {
      clearInterval(timer);
      handOver();
      try {
        file?.flushSync();
      } catch {
        // The descriptor was not open yet, or is closed already: there is nothing to flush.
      }
    },
  };
}

function lineMaker(pretty: boolean, redact: (fields: object) => object): (entry: Entry) => string {
  const timestamp = timestamps();
  return ({ head, at, event, fields }) => {
    const rest = fields === undefined ? '}' : fieldsAfter(redact(fields));
    const line = `${head}${timestamp(at)}","event":${JSON.stringify(event)}${rest}`;
    return `${pretty ? prettyLine(line) : line}\n`;
  };
}

/** The fields of an object as they follow others in a line. */
function fieldsAfter(fields: object): string {
  const json = JSON.stringify(fields);
  return json === '{}' ? '}' : `,${json.slice(1)}`;
}

/** Writing a date costs more than the rest of a line, and a busy server logs many within a millisecond. */
function timestamps(): (at: number) => string {
  let last = 0;
  let text = '';
  return (at) => {
    if (at !== last) {
      last = at;
      text = new Date(at).toISOString();
    }
    return text;
  };
}

/**
 * A URL fit for a log line: without query and fragment, where tokens and keys travel. Also without those of a link
 * that some program has encoded as a whole.
 */
export function loggablePath(url: string): string {
  const end = url.search(/[?#]|%3f|%23/i);
  return end === -1 ? url : url.slice(0, end);
}

/** What may be said about an unexpected error: its kind, message and stack, never its attached request. */
export function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: error.message, kind: error.name, stack: error.stack };
}

const COLOURS: Record<string, number> = { debug: 90, info: 36, warn: 33, error: 31 };

const HEALTH_CHECKS: ReadonlySet<unknown> = new Set(['/health', '/healthz', '/ready', '/metrics']);

/** Health checks that went well: every few seconds one, and nobody at a terminal wants to read them. */
function isRoutine(event: string, fields: object | undefined): boolean {
  if (event !== 'http' || fields === undefined || !('path' in fields) || !('status' in fields)) return false;
  return HEALTH_CHECKS.has(fields.path) && fields.status === 200;
}

/** Turns a JSON log line into a short readable one for a terminal. */
function prettyLine(line: string): string {
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
