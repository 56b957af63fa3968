import type { RoomState } from '../room.ts';
import { endingInWords } from '../words.ts';
import { byId } from './dom.ts';

type Tone = 'good' | 'warn' | 'soft';

interface Banner {
  readonly text: string;
  readonly button: string;
}

/** The status pill, the spoken form of it, and the banner that says what to do when one cannot speak. */
export class StatusView {
  readonly #pill = byId('status', HTMLParagraphElement);
  readonly #text = byId('status-text', HTMLSpanElement);
  readonly #spoken = byId('status-spoken', HTMLParagraphElement);
  readonly #banner = byId('banner', HTMLDivElement);
  readonly #bannerText = byId('banner-text', HTMLParagraphElement);
  readonly #bannerButton = byId('banner-button', HTMLButtonElement);
  #state: RoomState = { kind: 'connecting' };

  constructor(reconnect: () => void) {
    this.#bannerButton.addEventListener('click', reconnect);
    for (const change of ['online', 'offline']) window.addEventListener(change, () => this.show(this.#state));
    setInterval(() => this.#drawPill(), 1_000);
  }

  show(state: RoomState): void {
    // A poll that follows a poll is no news.
    if (state.kind === 'connecting' && this.#state.kind === 'connected') return;
    const isRetry = state.kind === 'connecting' && this.#state.kind === 'waiting';
    this.#state = state;
    this.#drawPill();
    if (!isRetry) this.#speak(state);
    const banner = bannerOf(state);
    this.#banner.hidden = banner === null;
    this.#bannerText.textContent = banner?.text ?? '';
    this.#bannerButton.textContent = banner?.button ?? '';
    this.#bannerButton.hidden = (banner?.button ?? '') === '';
  }

  /** Without the countdown, and not at every attempt: a screen reader would read all of it. */
  #speak(state: RoomState): void {
    const words = state.kind === 'waiting' ? 'connection lost, reconnecting' : pillOf(state)[0];
    if (this.#spoken.textContent !== words) this.#spoken.textContent = words;
  }

  #drawPill(): void {
    const [words, tone] = pillOf(this.#state);
    if (this.#text.textContent !== words) this.#text.textContent = words;
    this.#pill.dataset.tone = tone;
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
      return navigator.onLine
        ? [`reconnecting in ${secondsUntil(state.until)} s`, 'warn']
        : ['offline', 'warn'];
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

function secondsUntil(time: number): number {
  return Math.max(1, Math.ceil((time - Date.now()) / 1_000));
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
