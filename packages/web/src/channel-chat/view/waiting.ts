import type { Peers } from '../peers.ts';
import { byId } from '../../shared/dom.ts';
import { seenInWords } from '../words.ts';

const LONGEST_WAIT_MS = 3 * 60_000;

/** After a message of one's own, until somebody answers: what is known about those who may. */
export class WaitingView {
  readonly #line = byId('writing');
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
    const agents = this.#peers.all.filter(({ kind }) => kind === 'agent' || kind === 'unknown');
    const facts = agents.flatMap((peer) => {
      const seen = seenInWords(peer);
      return seen === '' ? [] : [`${peer.name}: ${seen}`];
    });
    this.#line.hidden = !this.#isWaiting || facts.length === 0;
    this.#line.textContent = facts.join(' · ');
  }
}
