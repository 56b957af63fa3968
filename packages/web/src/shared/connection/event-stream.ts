import { SSE_COMMENT_INTERVAL_MS } from '@parley/protocol/channels/limits';
import { parsedJson } from '@parley/protocol/json';
import { EventStreamReader } from '@parley/sdk/event-stream-reader';
import { within } from './within.ts';

/** Two missed comments mean that the line is dead or that a proxy holds it back. */
const SILENCE_LIMIT_MS = 2 * SSE_COMMENT_INTERVAL_MS + 5_000;
/** A proxy that collects a whole answer before passing it on never lets a stream begin. */
const HEAD_LIMIT_MS = 10_000;

export class StreamSilent extends Error {
  override readonly name = 'StreamSilent';
  readonly heardAnything: boolean;

  constructor(heardAnything: boolean) {
    super('the event stream fell silent');
    this.heardAnything = heardAnything;
  }
}

/** The beginning of a stream, or `StreamSilent` when it does not come. */
export async function streamHead(head: Promise<Response | null>): Promise<Response | null> {
  return await within(HEAD_LIMIT_MS, head, () => new StreamSilent(false));
}

/**
 * What the events of a fetch body hold (EventSource cannot send headers). Ends when the server ends it. `heard` is told of
 * every sign of life, comments included.
 */
export async function* readEvents(response: Response, heard: () => void = () => undefined): AsyncGenerator {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  const events = new EventStreamReader();
  let heardAnything = false;
  try {
    for (;;) {
      const heardBefore = heardAnything;
      const chunk = await within(SILENCE_LIMIT_MS, reader.read(), () => new StreamSilent(heardBefore));
      if (chunk.done) return;
      heardAnything = true;
      heard();
      for (const { data } of events.push(chunk.value)) yield parsedJson(data);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
