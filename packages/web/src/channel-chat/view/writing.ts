import type { Peers } from '../peers.ts';
import { byId } from '../../shared/dom.ts';
import { namesInWords } from '../../shared/names.ts';

const LONGEST_WAIT_MS = 3 * 60_000;

/** After a message of one's own, until somebody answers: who may be writing now. */
export class WritingView {
  readonly #line = byId('writing', HTMLParagraphElement);
  readonly #text = byId('writing-text', HTMLSpanElement);
  readonly #peers: Peers;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isWaiting = false;

  constructor(peers: Peers) {
    this.#peers = peers;
  }

  begin(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), LONGEST_WAIT_MS);
    this.#isWaiting = true;
    this.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#isWaiting = false;
    this.refresh();
  }

  refresh(): void {
    // Only agents answer as a matter of course; a person may simply be reading.
    const agents = this.#peers.all.filter((peer) => peer.kind !== 'human' && !peer.stale);
    this.#line.hidden = !this.#isWaiting || agents.length === 0;
    this.#text.textContent = `${namesInWords(agents.map((peer) => peer.name))} may be writing`;
  }
}
