import { type DestinationStream, destination, type Logger as PinoLogger, pino } from 'pino';
import { prettyLines } from './log-pretty.ts';

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

const REDACTED = '[redacted]';

/** Field names whose values are secrets wherever they appear, up to two levels down. */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'token',
  'participant_id',
  'api_key',
  'secret',
  'password',
  'text',
  'key',
];

export function createLog({ level, stream, pretty = false }: LogOptions): Log {
  const file = stream ? undefined : destination({ fd: 1, sync: false, minLength: 4096, periodicFlush: 500 });
  const sink = stream ?? file;
  const out = pretty && sink ? prettyLines(sink) : sink;
  const logger: PinoLogger = pino(
    {
      level,
      base: null,
      messageKey: 'event',
      timestamp: () => `,"ts":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: REDACTED,
      },
    },
    out ?? process.stdout,
  );
  return {
    debug: (event, fields) => logger.debug(fields ?? {}, event),
    info: (event, fields) => logger.info(fields ?? {}, event),
    warn: (event, fields) => logger.warn(fields ?? {}, event),
    error: (event, fields) => logger.error(fields ?? {}, event),
    flush: () => {
      try {
        file?.flushSync();
      } catch {
        // The descriptor was not open yet, or is closed already: there is nothing to flush.
      }
    },
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
