import type { RoomState } from '@parley/protocol/rooms/types';
import { on } from '../shared/dom.ts';
import { Backoff } from '../shared/connection/backoff.ts';
import { readEvents, StreamSilent, streamHead } from '../shared/connection/event-stream.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Typing } from './typing.ts';
import { RoomError, type ViewerApi } from './viewer-api.ts';
import type { WatchedRoom } from './watched-room.ts';

/**
 * Follows a room for one person, with a code, until the room is gone or the page is.
 *
 * | state      | means                                         | goes to                           |
 * | ---------- | --------------------------------------------- | --------------------------------- |
 * | connecting | joining, reading the transcript, or streaming | live, waiting, refused            |
 * | live       | what happens arrives; or the room is closed   | connecting (line lost), refused   |
 * | waiting    | the line failed; next try at a time           | connecting                        |
 * | refused    | the code, or the room, does not work; final   |                                   |
 */
export type WatchState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'waiting'; readonly until: number }
  | { readonly kind: 'refused'; readonly error: RoomError };

export interface WatchParts {
  readonly api: ViewerApi;
  readonly code: string;
  readonly room: WatchedRoom;
  readonly typing: Typing;
  readonly state: (state: WatchState) => void;
}

/** A stream that lived this long was a working one: when it ends, a new one is tried at once. */
const PROVEN_MS = 5_000;
/** How often the transcript is read again where no stream comes through. */
const READ_EVERY_MS = 10_000;

export class Watch {
  readonly #parts: WatchParts;
  readonly #stop = new AbortController();
  readonly #backoff = new Backoff();
  #seat: { readonly token: string; readonly heartbeat: Heartbeat } | null = null;
  /** What this page knows may be old. */
  #isStale = true;
  #streaming = true;
  /** Times the seat was given up since something last worked. */
  #rejoins = 0;
  #attempt = new AbortController();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  async follow(): Promise<void> {
    while (!this.#stopped) {
      const startedAt = Date.now();
      this.#tell({ kind: 'connecting' });
      try {
        const token = await this.#enter();
        if (this.#stopped) return;
        const hasMore = await this.#followOnce(token);
        if (!hasMore && Date.now() - startedAt <= PROVEN_MS) await this.#wait(this.#backoff.next());
      } catch (error) {
        if (this.#stopped) return;
        if (error instanceof Refused) return this.#refused(error.reason);
        await this.#recover(error);
      }
    }
  }

  /** The page goes: says so, and never comes back. Another watch may. */
  leave(): void {
    const seat = this.#seat;
    this.#stop.abort();
    this.#giveUpSeat();
    this.#backoff.skip();
    if (seat !== null) void this.#parts.api.leave(seat.token).catch(() => undefined);
  }

  /** The network came back or the person did. */
  retryNow(): void {
    this.#backoff.skip();
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  #is(phase: RoomState): boolean {
    return this.#parts.room.now.phase === phase;
  }

  async #enter(): Promise<string> {
    const { api, code, room } = this.#parts;
    try {
      const token = this.#seat?.token ?? (await api.join(code));
      this.#seat ??= { token, heartbeat: new Heartbeat(api, token, () => this.#giveUpSeat()) };
      if (this.#stopped) this.leave();
      else if (this.#isStale) room.show(await api.transcript(code));
      this.#isStale = false;
      return token;
    } catch (error) {
      const final = room.isKnown ? [403, 404, 410] : [403, 404, 410, 429];
      throw error instanceof RoomError && final.includes(error.status) ? new Refused(error) : error;
    }
  }

  /** Returns when it is time to look again: true when something else is to be done at once. */
  async #followOnce(token: string): Promise<boolean> {
    const { typing } = this.#parts;
    if (this.#is('PURGED')) throw new Refused(new RoomError(410, { error: 'gone' }));
    this.#attempt = new AbortController();
    if (this.#is('CLOSED')) return await this.#watchOver();
    if (!this.#streaming) return await this.#readAgainLater();
    try {
      await this.#stream(token);
    } catch (error) {
      if (this.#seat !== null) throw error;
    } finally {
      this.#attempt.abort();
      typing.clear();
    }
    return this.#seat === null || !this.#streaming || this.#is('CLOSED');
  }

  async #stream(token: string): Promise<void> {
    const { api, room, typing } = this.#parts;
    const response = await streamHead(api.events(token, room.now.lastEventId, this.#attempt.signal));
    if (response === null) {
      this.#streaming = false;
      return;
    }
    this.#nowLive();
    for await (const event of readEvents(response, () => this.#seat?.heartbeat.beatIfDue())) {
      if (this.#stopped) return;
      if (typing.take(event) || !room.take(event)) continue;
      this.#isStale = true;
      await this.#enter();
    }
  }

  /** Nothing happens any more in a closed room. It stays readable as long as the heart beats. */
  async #watchOver(): Promise<boolean> {
    this.#nowLive();
    await new Promise<void>((resolve) => {
      if (this.#seat === null || this.#stopped) resolve();
      else on(this.#attempt.signal, 'abort', () => resolve());
    });
    return true;
  }

  async #readAgainLater(): Promise<boolean> {
    this.#nowLive();
    await this.#backoff.wait(READ_EVERY_MS);
    this.#isStale = true;
    return true;
  }

  async #recover(error: unknown): Promise<void> {
    if (cannotStream(error)) {
      this.#streaming = false;
      return;
    }
    if (error instanceof RoomError && [400, 404, 410].includes(error.status)) {
      // The cursor or this reader is forgotten, or the room closed meanwhile: joining and reading again tells which.
      this.#giveUpSeat();
      this.#rejoins += 1;
      if (this.#rejoins === 1) return;
    }
    const asked = error instanceof RoomError ? error.retryAfterSeconds * 1_000 : 0;
    await this.#wait(asked || this.#backoff.next());
  }

  #giveUpSeat(): void {
    this.#seat?.heartbeat.stop();
    this.#seat = null;
    this.#isStale = true;
    this.#attempt.abort();
  }

  #refused(error: RoomError): void {
    this.#giveUpSeat();
    const { room } = this.#parts;
    const { phase, purgeBy } = room.now;
    // The code is often dead by the time a room that was read to the end is deleted.
    const wasPurged = error.status === 410 || (phase === 'CLOSED' && purgeBy !== 0 && Date.now() >= purgeBy);
    if (wasPurged) room.purged();
    this.#tell({ kind: 'refused', error: wasPurged ? new RoomError(410, { error: 'gone' }) : error });
  }

  #nowLive(): void {
    this.#backoff.reset();
    this.#rejoins = 0;
    this.#tell({ kind: 'live' });
  }

  async #wait(ms: number): Promise<void> {
    if (this.#stopped) return;
    this.#tell({ kind: 'waiting', until: Date.now() + ms });
    await this.#backoff.wait(ms);
  }

  #tell(state: WatchState): void {
    if (!this.#stopped) this.#parts.state(state);
  }
}

/** The code or the room does not work, and trying again would not help. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly reason: RoomError;

  constructor(reason: RoomError) {
    super(reason.message);
    this.reason = reason;
  }
}

/** A server without this stream, or a proxy that swallows it. */
function cannotStream(error: unknown): boolean {
  if (error instanceof StreamSilent) return !error.heardAnything;
  if (!(error instanceof RoomError)) return false;
  return [405, 406, 501].includes(error.status) || error.code === 'not_found';
}
