/** Cuts a server-sent event stream into the data of its events. Comments and fields we have no use for are dropped. */
export class SseParser {
  #rest = '';
  #data: string[] = [];

  /** The data of every event that this chunk completes. */
  push(chunk: string): string[] {
    const events: string[] = [];
    const lines = (this.#rest + chunk).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (this.#data.length > 0) events.push(this.#data.join('\n'));
        this.#data = [];
      } else if (line.startsWith('data:')) {
        this.#data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      }
    }
    return events;
  }
}
