import { type ClientRequest, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 50;

/** Listens to the events of a room through whatever answers, and goes on by its cursor whenever it is cut off. */
export class Follower {
  /** Turns as they came, those that came twice among them. */
  readonly turns: number[] = [];
  /** How often it had to begin again. */
  cuts = -1;
  readonly #url: () => string;
  readonly #path: string;
  readonly #session: string;
  #cursor = '0';
  #request: ClientRequest | undefined;
  #over = false;
  readonly #running: Promise<void>;

  constructor(url: () => string, room: string, session: string) {
    this.#url = url;
    this.#path = `/v1/rooms/${room}/events`;
    this.#session = session;
    this.#running = this.#follow();
  }

  /** Waits until it has heard so many, for a while. */
  async heard(turns: number, patienceMs: number): Promise<void> {
    const end = performance.now() + patienceMs;
    while (this.turns.length < turns && performance.now() < end) await sleep(PAUSE_MS);
  }

  async stop(): Promise<void> {
    this.#over = true;
    this.#request?.destroy();
    await this.#running;
  }

  async #follow(): Promise<void> {
    while (!this.#over) {
      this.cuts++;
      await this.#listen();
      if (!this.#over) await sleep(PAUSE_MS);
    }
  }

  /** Until it is cut off. */
  #listen(): Promise<void> {
    return new Promise((resolve) => {
      let text = '';
      this.#request = get(
        `${this.#url()}${this.#path}?since=${this.#cursor}`,
        { agent: false, headers: { accept: 'text/event-stream', authorization: `Bearer ${this.#session}` } },
        (response) => {
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => {
            text += chunk;
            const end = text.lastIndexOf('\n\n') + 2;
            for (const frame of text.slice(0, end).split('\n\n')) this.#take(frame);
            text = text.slice(end);
          });
          response.on('error', () => {});
          response.on('close', resolve);
        },
      );
      this.#request.on('error', () => resolve());
    });
  }

  #take(frame: string): void {
    const id = /^id: (\d+)$/m.exec(frame)?.[1];
    if (id === undefined) return;
    this.#cursor = id;
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    if (!/^event: message\.created$/m.test(frame) || data === undefined) return;
    const turn = /"turn":(\d+)/.exec(data)?.[1];
    this.turns.push(Number(turn));
  }
}
