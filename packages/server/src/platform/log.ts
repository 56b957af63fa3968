import { type DestinationStream, destination } from 'pino';
import { prettyLine } from './log-pretty.ts';
import { redact } from './redact.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LEVELS)[number];

/** One JSON line per event. The event name is the first argument, everything else is a field. */
export interface Log {
  debug(event: string, fields?: object): void;
  info(event: string, fields?: object): void;
  warn(event: string, fields?: object): void;
  error(event: string, fields?: object): void;
  /** Blocks until everything logged so far is written. */
  flush(): void;
}

export interface LogOptions {
  level: LogLevel;
  /** Where lines go: standard output unless a test listens. */
  stream?: DestinationStream;
  pretty?: boolean;
}

/** Lines are gathered up to this many bytes or for this long, so that logging costs no system call per request. */
const GATHER_BYTES = 8192;
const GATHER_MS = 250;

/**
 * Two lines per request are a large part of what a request costs, so they are put together here, by hand, and
 * handed over once per turn of the event loop.
 */
export function createLog({ level, stream, pretty = false }: LogOptions): Log {
  const file = stream
    ? undefined
    : destination({ fd: 1, sync: false, minLength: GATHER_BYTES, periodicFlush: GATHER_MS });
  const sink: DestinationStream = stream ?? file ?? process.stdout;
  const timestamp = timestamps();
  let gathered = '';

  const handOver = (): void => {
    const lines = gathered;
    gathered = '';
    if (lines !== '') sink.write(lines);
  };
  const write = (grade: LogLevel): Log['info'] => {
    if (LEVELS.indexOf(grade) < LEVELS.indexOf(level)) return () => {};
    const head = `{"level":"${grade}","ts":"`;
    return (event, fields) => {
      const rest = fields === undefined ? '}' : fieldsAfter(redact(fields));
      const line = `${head}${timestamp()}","event":${JSON.stringify(event)}${rest}`;
      if (gathered === '' && file) setImmediate(handOver);
      gathered += `${pretty ? prettyLine(line) : line}\n`;
      // A test that listens wants to see a line as soon as it was logged.
      if (!file) handOver();
    };
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    flush() {
      handOver();
      try {
        file?.flushSync();
      } catch {
        // The descriptor was not open yet, or is closed already: there is nothing to flush.
      }
    },
  };
}

/** The fields of an object as they follow others in a line. */
function fieldsAfter(fields: object): string {
  const json = JSON.stringify(fields);
  return json === '{}' ? '}' : `,${json.slice(1)}`;
}

/** Writing a date costs more than the rest of a line, and a busy server logs many within a millisecond. */
function timestamps(): () => string {
  let at = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      text = new Date(now).toISOString();
    }
    return text;
  };
}

/** A URL fit for a log line: without query and fragment, where tokens and keys travel. */
export function loggablePath(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** What may be said about an unexpected error: its kind, message and stack, never its attached request. */
export function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: error.message, kind: error.name, stack: error.stack };
}
