import { on } from '../shared/dom.ts';
import { UnreadTitle } from '../shared/conversation/unread-title.ts';

/** Unread count in the title; sound and notification only when the person asked for them. */
export class Attention {
  soundOn = false;
  notifyOn = false;
  readonly #title = new UnreadTitle();
  #audio: AudioContext | null = null;

  constructor(topic: string) {
    this.#title.name(topic === '' ? 'Conversation' : topic);
  }

  heard(from: string, text: string): void {
    if (this.soundOn) this.#chime();
    this.#title.heard();
    if (document.hidden && this.notifyOn) this.#notify(from, text);
  }

  enableSound(isOn: boolean): void {
    this.soundOn = isOn;
    // Browsers let sound begin only in answer to a tap: this one.
    if (isOn) this.#chime();
  }

  /** Why notifications cannot be had, in words; empty when they are on (or were turned off). */
  async enableNotifications(isOn: boolean): Promise<string> {
    this.notifyOn = false;
    if (!isOn) return '';
    if ((await Notification.requestPermission()) !== 'granted')
      return 'Your browser does not allow notifications here.';
    this.notifyOn = true;
    return '';
  }

  #notify(from: string, text: string): void {
    try {
      const notification = new Notification(from, { body: text.slice(0, 120), tag: 'parley' });
      on(notification, 'click', () => window.focus());
    } catch {
      // Phones show notifications only for installed pages.
      this.notifyOn = false;
    }
  }

  #chime(): void {
    this.#audio ??= new AudioContext();
    const { currentTime, destination } = this.#audio;
    const tone = this.#audio.createOscillator();
    const volume = this.#audio.createGain();
    tone.frequency.setValueAtTime(660, currentTime);
    volume.gain.setValueAtTime(0.08, currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, currentTime + 0.25);
    tone.connect(volume).connect(destination);
    tone.start();
    tone.stop(currentTime + 0.25);
  }
}
