import type { WireEvent } from '@parley/protocol/channels/types';
import { isWireEvent } from '@parley/sdk/channels/answers';
import { readEvents } from '../shared/connection/event-stream.ts';
import { fieldsOf, textOf } from '../shared/fields.ts';

/** The server said its last word: the channel is over, or not for us any more. */
export class StreamEnded extends Error {
  override readonly name = 'StreamEnded';
  readonly answer: unknown;

  constructor(answer: unknown) {
    super('the event stream was ended');
    this.answer = answer;
  }
}

export async function* readEventStream(response: Response): AsyncGenerator<WireEvent> {
  for await (const event of readEvents(response)) {
    if (isWireEvent(event)) yield event;
    else if (textOf(fieldsOf(event)['error']) !== '') throw new StreamEnded(event);
  }
}
