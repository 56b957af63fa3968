import { type DestinationStream, destination, pino } from 'pino';
import { prettyLines } from './log-pretty.ts';
import { redact } from './redact.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

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
const GATHER_MS = 500;

export function createLog({ level, stream, pretty = false }: LogOptions): Log {
  const file = stream
    ? undefined
    : destination({ fd: 1, sync: false, minLength: GATHER_BYTES, periodicFlush: GATHER_MS });
  const sink: DestinationStream = stream ?? file ?? process.stdout;
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: timestamps(),
      formatters: { level: (label) => ({ level: label }) },
    },
    pretty ? prettyLines(sink) : sink,
  );
  const write =
    (grade: 'debug' | 'info' | 'warn' | 'error') =>
    (event: string, fields: object = {}): void =>
      logger[grade](redact(fields), event);
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    flush() {
      try {
        file?.flushSync();
      } catch {
        // The descriptor was not open yet, or is closed already: there is nothing to flush.
      }
    },
  };
}

/** Writing a date costs more than the rest of a line, and a busy server logs many within a millisecond. */
function timestamps(): () => string {
  let at = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== at) {
      at = now;
      text = `,"ts":"${new Date(now).toISOString()}"`;
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
