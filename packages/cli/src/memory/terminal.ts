import { createColors } from 'picocolors';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Where a view is shown: how wide it may be, whether it may be coloured, or whether a program reads it. */
export interface Terminal {
  readonly columns: number;
  /** No person looks at it: rows go out with tabs, times whole. */
  readonly piped: boolean;
  style(style: Style, text: string): string;
}

export interface Stream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

const USUAL_COLUMNS = 80;
const LEAST_COLUMNS = 20;

export function terminalOf(stream: Stream, env: Readonly<Record<string, string | undefined>>): Terminal {
  const coloured = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  // What a program reads is not broken into lines: an end of line that nobody wrote would become part of the text.
  const usual = stream.isTTY === true ? USUAL_COLUMNS : Number.POSITIVE_INFINITY;
  const columns = stream.columns || Number.parseInt(env['COLUMNS'] ?? '', 10) || usual;
  const colors = createColors(coloured);
  return {
    columns: Math.max(LEAST_COLUMNS, columns),
    piped: stream.isTTY !== true,
    style: (style, text) => (text === '' ? text : colors[style](text)),
  };
}
