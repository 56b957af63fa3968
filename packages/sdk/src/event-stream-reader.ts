/** One server-sent event. `event` and `id` are what its own lines say. */
export interface StreamEvent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: string;
}

/** Not every decoder takes it off. */
const BYTE_ORDER_MARK = '\ufeff';

/** Cuts a server-sent event stream into its events. Comments, and events without data, are dropped. */
export class EventStreamReader {
  #rest = '';
  #begun = false;
  #afterReturn = false;
  #data: string[] = [];
  #event: string | undefined;
  #id: string | undefined;

  /** Every event that this chunk completes. */
  push(chunk: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    if (chunk === '') return events;
    const lines = (this.#rest + this.#continued(chunk)).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') this.#take(line);
      else events.push(...this.#complete());
    }
    return events;
  }

  /** A return ends its line at once: whether it was half of a break shows only with the next chunk, which may take long. */
  #continued(chunk: string): string {
    const other = this.#afterReturn ? '\n' : this.#begun ? '' : BYTE_ORDER_MARK;
    this.#begun = true;
    this.#afterReturn = chunk.endsWith('\r');
    return chunk.startsWith(other) ? chunk.slice(other.length) : chunk;
  }

  #take(line: string): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const text = colon === -1 ? '' : line.slice(colon + 1);
    const value = text.startsWith(' ') ? text.slice(1) : text;
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
  }

  #complete(): StreamEvent[] {
    const events =
      this.#data.length === 0 ? [] : [{ event: this.#event, id: this.#id, data: this.#data.join('\n') }];
    this.#data = [];
    this.#event = undefined;
    this.#id = undefined;
    return events;
  }
}
