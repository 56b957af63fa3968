import type { Clock } from './channels/clock.ts';

/** Servers write a comment every 20 s; a stream silent for longer than this is dead. */
const SILENCE_MS = 55_000;

export interface Silence {
  readonly clock: Clock;
  readonly ms?: number;
  /** Nothing came for too long. It is to end the connection, and the parts with it. */
  readonly end: () => void;
}

/** The parts of a stream as they come. */
export async function* heardParts(
  chunks: AsyncIterable<string>,
  { clock, ms = SILENCE_MS, end }: Silence,
): AsyncGenerator<string> {
  const parts = chunks[Symbol.asyncIterator]();
  for (;;) {
    const silence = clock.after(ms, end);
    const part = await parts.next().finally(() => silence.cancel());
    if (part.done) return;
    yield part.value;
  }
}
