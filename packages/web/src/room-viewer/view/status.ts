import { buttonById, byId, on } from '../../shared/dom.ts';
import { reconnectingInWords, StatusPill, type Tone } from '../../shared/conversation/status-pill.ts';
import type { WatchState } from '../watch.ts';
import type { WatchedRoom } from '../watched-room.ts';
import { refusalInWords } from '../words.ts';

/** The pill, its spoken form, and the banner for what a reader should know or do. */
export class StatusView {
  readonly #room: WatchedRoom;
  readonly #pill = new StatusPill(() => this.#pillWords());
  readonly #banner = byId('banner');
  readonly #bannerText = byId('banner-text');
  readonly #bannerButton = buttonById('banner-button');
  #state: WatchState = { kind: 'connecting' };
  #isLost = false;

  constructor(room: WatchedRoom, askForCode: () => void) {
    this.#room = room;
    on(this.#bannerButton, 'click', askForCode);
    for (const change of ['online', 'offline']) window.addEventListener(change, () => this.refresh());
  }

  show(state: WatchState): void {
    // Taking up the line again is no news until it fails.
    if (state.kind === 'connecting' && this.#state.kind === 'live') return;
    // Spoken once, not at every attempt.
    this.#isLost = state.kind === 'waiting' || (this.#isLost && state.kind === 'connecting');
    this.#state = state;
    this.refresh();
  }

  refresh(): void {
    this.#pill.draw();
    this.#pill.speak(this.#spokenWords());
    const text = this.#bannerWords();
    this.#banner.hidden = text === '';
    if (this.#bannerText.textContent !== text) this.#bannerText.textContent = text;
    this.#bannerButton.hidden = this.#state.kind !== 'refused' || this.#state.error.status !== 403;
  }

  #pillWords(): readonly [string, Tone] {
    const { phase } = this.#room.now;
    if (phase === 'PURGED') return ['purged', 'soft'];
    if (this.#state.kind === 'refused') return ['not connected', 'warn'];
    if (!navigator.onLine) return ['offline', 'warn'];
    if (this.#state.kind === 'waiting') return [reconnectingInWords(this.#state.until), 'warn'];
    if (this.#state.kind === 'connecting') return ['connecting', 'soft'];
    // When it is deleted depends on who reads; the bar at the foot says how.
    if (phase === 'CLOSED') return ['closed', 'soft'];
    return phase === 'OPEN' ? ['waiting', 'soft'] : ['live', 'good'];
  }

  #spokenWords(): string {
    if (this.#isLost) return 'connection lost, reconnecting';
    return this.#room.now.phase === 'CLOSED' ? 'closed' : this.#pillWords()[0];
  }

  #bannerWords(): string {
    const { phase } = this.#room.now;
    if (phase === 'PURGED')
      return 'The conversation was deleted from the server. What you see is only on this page now; it is gone when you close it.';
    if (this.#state.kind === 'refused') return refusalInWords(this.#state.error).text;
    if (!navigator.onLine) return 'You are offline. What is said meanwhile appears when you are back.';
    return '';
  }
}
