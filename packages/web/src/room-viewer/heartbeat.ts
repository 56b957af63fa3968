import { RoomError, type ViewerApi } from './viewer-api.ts';

/** A third of what the server allows, so that two may get lost. */
const BEAT_EVERY_MS = 15_000;

/** Says that somebody still reads, which also keeps a closed room from being deleted. */
export class Heartbeat {
  readonly #api: ViewerApi;
  readonly #token: string;
  readonly #lost: () => void;
  readonly #timer: ReturnType<typeof setInterval>;
  #beatAt = Date.now();

  /** `lost` is called when the server does not know this reader any more. */
  constructor(api: ViewerApi, token: string, lost: () => void) {
    this.#api = api;
    this.#token = token;
    this.#lost = lost;
    this.#timer = setInterval(() => void this.#beat(), BEAT_EVERY_MS);
  }

  /** Browsers slow down the timers of a page in the background, but not what it hears from the network. */
  beatIfDue(): void {
    if (Date.now() - this.#beatAt >= BEAT_EVERY_MS) void this.#beat();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #beat(): Promise<void> {
    this.#beatAt = Date.now();
    try {
      await this.#api.heartbeat(this.#token);
    } catch (error) {
      const isUnknown = error instanceof RoomError && (error.status === 404 || error.status === 410);
      if (isUnknown) this.#lost();
    }
  }
}
