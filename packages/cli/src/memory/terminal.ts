/** The numbers that begin and end each style on a terminal. */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
} as const;

export type Style = keyof typeof STYLES;

/** Where a view is shown: how wide it may be, and whether it may be coloured. */
export interface Terminal {
  readonly columns: number;
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
  const columns = stream.columns || Number.parseInt(env['COLUMNS'] ?? '', 10) || USUAL_COLUMNS;
  return {
    columns: Math.max(LEAST_COLUMNS, columns),
    style: (style, text) => (coloured && text !== '' ? styled(STYLES[style], text) : text),
  };
}

const styled = ([begin, end]: readonly [number, number], text: string): string =>
  `\u001b[${begin}m${text}\u001b[${end}m`;
