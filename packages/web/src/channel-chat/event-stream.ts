import { SSE_COMMENT_INTERVAL_MS } from '@parley/protocol/channels/limits';
import type { WireEvent } from '@parley/protocol/channels/types';
import { isWireEvent } from '@parley/sdk/channels/answers';
import { SseParser } from '@parley/sdk/channels/sse-parser';
import { fieldsOf, textOf } from './fields.ts';
import { within } from './within.ts';

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
  const parser = new SseParser();
  let heardAnything = false;
  try {
    for (;;) {
      const heardBefore = heardAnything;
      const chunk = await within(SILENCE_LIMIT_MS, reader.read(), () => new StreamSilent(heardBefore));
      if (chunk.done) return;
      heardAnything = true;
      for (const data of parser.push(chunk.value)) {
        const event = parsed(data);
        if (isWireEvent(event)) yield event;
        else if (textOf(fieldsOf(event)['error']) !== '') throw new StreamEnded(event);
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
