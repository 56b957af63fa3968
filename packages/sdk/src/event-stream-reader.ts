/** One server-sent event. `event` and `id` are what its own lines say. */
export interface StreamEvent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: string;
}

/** Cuts a server-sent event stream into its events. Comments, and events without data, are dropped. */
export class EventStreamReader {
  #rest = '';
  #data: string[] = [];
  #event: string | undefined;
  #id: string | undefined;

  /** Every event that this chunk completes. */
  push(chunk: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    // A return at the end may be half of a line break.
    const lines = (this.#rest + chunk).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') this.#take(line);
      else events.push(...this.#complete());
    }
    return events;
  }

  #take(line: string): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const text = colon === -1 ? '' : line.slice(colon + 1);
    const value = text.startsWith(' ') ? text.slice(1) : text;
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#event = value;
    else if (name === 'id') this.#id = value;
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
