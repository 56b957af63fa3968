import type { Clock } from '@parley/sdk/channels/clock';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LEVELS)[number];

/** What a line may say besides what happened. Keys, tokens and message texts have no place here. */
export interface LogFields {
  readonly delivery_id?: string | undefined;
  readonly room_id?: string | undefined;
  readonly attempt?: number | undefined;
  readonly status?: string | number | undefined;
  readonly reason?: string | undefined;
  readonly delay_ms?: number | undefined;
}

export type Log = Record<LogLevel, (event: string, fields?: LogFields) => void>;

export const isLogLevel = (word: string): word is LogLevel => LEVELS.some((level) => level === word);

export interface LogOptions {
  readonly clock: Clock;
  readonly write: (line: string) => void;
  readonly level?: LogLevel;
  readonly json?: boolean;
}

/** Lines for a journal: time, level, what happened, and to which delivery or room. */
export function createLog({ clock, write, level = 'info', json = false }: LogOptions): Log {
  const least = LEVELS.indexOf(level);
  const at = (name: LogLevel) => {
    return (event: string, fields: LogFields = {}): void => {
      if (LEVELS.indexOf(name) < least) return;
      const time = new Date(clock.now()).toISOString();
      if (json) write(`${JSON.stringify({ time, level: name, event, ...fields })}\n`);
      else write(`${[time, name, event, ...words(fields)].join(' ')}\n`);
    };
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function words(fields: LogFields): string[] {
  return Object.entries(fields).flatMap(([key, value]: [string, string | number | undefined]) => {
    if (value === undefined) return [];
    const text = String(value);
    return [`${key}=${/^[\w.:/-]+$/.test(text) ? text : JSON.stringify(text)}`];
  });
}
