import type { RoomState } from '../room.ts';
import { buttonById, byId, on } from '../../shared/dom.ts';
import { reconnectingInWords, StatusPill, type Tone } from '../../shared/conversation/status-pill.ts';
import { endingInWords } from '../words.ts';

interface Banner {
  readonly text: string;
  readonly button: string;
}

/** The status pill, the spoken form of it, and the banner that says what to do when one cannot speak. */
export class StatusView {
  readonly #pill = new StatusPill(() => pillOf(this.#state));
  readonly #banner = byId('banner');
  readonly #bannerText = byId('banner-text');
  readonly #bannerButton = buttonById('banner-button');
  #state: RoomState = { kind: 'connecting' };

  constructor(reconnect: () => void) {
    on(this.#bannerButton, 'click', reconnect);
    for (const change of ['online', 'offline']) window.addEventListener(change, () => this.show(this.#state));
  }

  show(state: RoomState): void {
    // A poll that follows a poll is no news.
    if (state.kind === 'connecting' && this.#state.kind === 'connected') return;
    const isRetry = state.kind === 'connecting' && this.#state.kind === 'waiting';
    this.#state = state;
    this.#pill.draw();
    if (!isRetry)
      this.#pill.speak(state.kind === 'waiting' ? 'connection lost, reconnecting' : pillOf(state)[0]);
    const banner = bannerOf(state);
    this.#banner.hidden = banner === null;
    this.#bannerText.textContent = banner?.text ?? '';
    this.#bannerButton.textContent = banner?.button ?? '';
    this.#bannerButton.hidden = (banner?.button ?? '') === '';
  }
}

/** Why one cannot write in this state; empty when one can. */
export function silenceReason(state: RoomState): string {
  if (state.kind === 'ended') return 'The conversation has ended.';
  if (state.kind === 'left' || state.kind === 'away')
    return 'You are not in the conversation. Reconnect to write.';
  return '';
}

function pillOf(state: RoomState): [string, Tone] {
  switch (state.kind) {
    case 'connected':
      return navigator.onLine ? ['connected', 'good'] : ['offline', 'warn'];
    case 'waiting':
      return [navigator.onLine ? reconnectingInWords(state.until) : 'offline', 'warn'];
    case 'ended':
      return ['closed', 'soft'];
    case 'left':
    case 'away':
      return ['not connected', 'soft'];
    case 'connecting':
    case 'dropped':
    case 'paused':
    default:
      return ['connecting', 'soft'];
  }
}

function bannerOf(state: RoomState): Banner | null {
  if (state.kind === 'ended') {
    const text = `${endingInWords(state.reason)} You can still read it here. Ask for a new link to talk again.`;
    return { text, button: '' };
  }
  if (state.kind === 'left')
    return { text: 'You left the conversation. Nothing here is lost.', button: 'Reconnect' };
  if (state.kind === 'away') {
    const text =
      'This page was in the background for 15 minutes, so it left the conversation. Nothing here is lost.';
    return { text, button: 'Reconnect' };
  }
  if (navigator.onLine) return null;
  return {
    text: 'You are offline. What you write stays here and can be sent when you are back.',
    button: '',
  };
}
