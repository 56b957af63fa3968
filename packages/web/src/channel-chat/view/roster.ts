import type { Peer, Peers } from '../peers.ts';
import { buttonById, byId } from '../../shared/dom.ts';
import { namesInWords } from '../../shared/names.ts';
import { seenInWords } from '../words.ts';
import { panelButton } from '../../shared/conversation/panel-button.ts';
import { rosterRow } from '../../shared/conversation/roster-row.ts';
import { voiceClass } from '../../shared/conversation/voice.ts';

const KINDS = { human: 'person', reader: 'person, only reads', agent: 'agent', unknown: '' };
const KEYS = {
  proved: 'key confirmed',
  same: 'same key',
  other: 'different key, cannot read this',
  unknown: '',
};

/** Who is here, in the panel and in one line under the topic. */
export class RosterView {
  readonly #peers: Peers;
  readonly #ownName: () => string;
  readonly #isReader: () => boolean;
  readonly #list = byId('roster');
  readonly #summary = byId('summary');
  readonly #button = panelButton();
  readonly #leave = buttonById('leave');
  readonly #nobody = byId('roster-note');

  constructor(peers: Peers, ownName: () => string, isReader: () => boolean) {
    this.#peers = peers;
    this.#ownName = ownName;
    this.#isReader = isReader;
  }

  refresh(): void {
    const own = this.#ownName();
    const others = this.#peers.all;
    const self = own === '' ? [] : [rosterRow(own, '', [this.#isReader() ? 'you, only reading' : 'you'])];
    this.#list.replaceChildren(...self, ...others.map(peerElement));
    this.#leave.hidden = own === '';
    this.#nobody.hidden = own !== '';
    const here = others.length + self.length;
    this.#button.textContent = here === 0 ? 'People' : `${here} here`;
    this.#summary.textContent = summaryOf(own, others);
  }
}

function summaryOf(own: string, others: readonly Peer[]): string {
  if (own === '') return 'You are not in the conversation';
  if (others.length === 0) return 'Nobody else is here yet';
  return `with ${namesInWords(others.map((peer) => peer.name))}`;
}

function peerElement(peer: Peer): HTMLElement {
  const facts = [KINDS[peer.kind], KEYS[peer.key], seenInWords(peer)];
  return rosterRow(peer.name, voiceClass(peer.name), facts);
}
