export interface SseFrame {
  id?: string | number;
  event?: string;
  /** One line of JSON. */
  data: string;
}

/** The text of one frame: LF only, fields in the order id, event, data, then a blank line. */
export function sseFrame({ id, event, data }: SseFrame): string {
  if (id !== undefined && BREAKS_LINE.test(String(id))) throw new TypeError('an SSE id is one line');
  if (event !== undefined && !EVENT_NAME.test(event))
    throw new TypeError('an SSE event name is a plain word');
  // JSON has no raw line breaks, so this can only be something that was never serialised.
  if (BREAKS_LINE.test(data)) throw new TypeError('SSE data is one line of JSON');
  return `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`;
}

/** Makes a frame maker that serialises each event once, however many streams it goes to. */
export function framedOnce<Event extends object>(make: (event: Event) => string): (event: Event) => Buffer {
  const made = new WeakMap<Event, Buffer>();
  return (event) => {
    const known = made.get(event);
    if (known) return known;
    const frame = Buffer.from(make(event));
    made.set(event, frame);
    return frame;
  };
}

const BREAKS_LINE = /[\r\n\0]/;
const EVENT_NAME = /^[A-Za-z0-9._-]+$/;
