import { SSE_COMMENT_INTERVAL_MS } from '@parley/protocol/channels/limits';
import type { WireEvent } from '@parley/protocol/channels/types';
import { isWireEvent } from '@parley/sdk/channels/answers';

/** Two missed comments mean that the line is dead or that a proxy holds it back. */
const SILENCE_LIMIT_MS = 2 * SSE_COMMENT_INTERVAL_MS + 5_000;

export class StreamSilent extends Error {
  override readonly name = 'StreamSilent';
  readonly heardAnything: boolean;

  constructor(heardAnything: boolean) {
    super('the event stream fell silent');
    this.heardAnything = heardAnything;
  }
}

/** The server said its last word: the channel is over, or not for us any more. */
export class StreamEnded extends Error {
  override readonly name = 'StreamEnded';
  readonly answer: unknown;

  constructor(answer: unknown) {
    super('the event stream was ended');
    this.answer = answer;
  }
}

/** Reads server-sent events from a fetch body (EventSource cannot send headers). Ends when the server ends it. */
export async function* readEventStream(response: Response): AsyncGenerator<WireEvent> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let buffered = '';
  let heardAnything = false;
  try {
    for (;;) {
      const chunk = await withinSilenceLimit(reader.read(), heardAnything);
      if (chunk.done) return;
      heardAnything = true;
      buffered += chunk.value;
      const blocks = buffered.split(/\r?\n\r?\n/);
      buffered = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = eventOf(block);
        if (event !== null) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(block: string): WireEvent | null {
  const lines = block.split(/\r?\n/);
  const field = (name: string) =>
    lines
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
      .join('\n');
  const data = parsed(field('data'));
  if (field('event') === 'end') throw new StreamEnded(data);
  return isWireEvent(data) ? data : null;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

async function withinSilenceLimit<T>(read: Promise<T>, heardAnything: boolean): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StreamSilent(heardAnything)), SILENCE_LIMIT_MS);
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    clearTimeout(timer);
  }
}
