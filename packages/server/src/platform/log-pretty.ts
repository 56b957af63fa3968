import type { DestinationStream } from 'pino';

const COLOURS: Record<string, number> = { debug: 90, info: 36, warn: 33, error: 31 };

/** Turns JSON log lines into short readable ones for a terminal. */
export function prettyLines(out: DestinationStream): DestinationStream {
  return {
    write(line: string): void {
      out.write(`${prettyLine(line)}\n`);
    },
  };
}

function prettyLine(line: string): string {
  const { level, ts, event, stack, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const time = String(ts).slice(11, 23);
  const colour = COLOURS[String(level)] ?? 0;
  const details = Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
  const head = `\u001b[90m${time}\u001b[0m \u001b[${colour}m${String(event)}\u001b[0m ${details}`;
  return typeof stack === 'string' ? `${head}\n${stack}` : head;
}
