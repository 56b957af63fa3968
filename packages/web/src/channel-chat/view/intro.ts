import type { Conversation } from '../conversation.ts';
import type { Peers } from '../peers.ts';
import { byId, element } from '../../shared/dom.ts';
import { namesInWords } from '../../shared/names.ts';

/** The standing explanation above the first message; says what to do while there is nothing to read. */
export class Intro {
  readonly #box = byId('intro');
  readonly #topic: string;
  readonly #peers: Peers;
  readonly #conversation: Conversation;

  constructor(topic: string, peers: Peers, conversation: Conversation) {
    this.#topic = topic;
    this.#peers = peers;
    this.#conversation = conversation;
  }

  refresh(): void {
    const names = this.#peers.all.map((peer) => peer.name);
    const isEmpty = !this.#conversation.entries.some((entry) => entry.kind === 'message');
    const title =
      names.length === 0 ? 'A private conversation' : `A private conversation with ${namesInWords(names)}`;
    const heading = element('h2', '', title);
    heading.dir = 'auto';
    this.#box.replaceChildren(
      heading,
      ...this.#topicLine(),
      element('p', 'small soft', whoReadsWhat(names.length)),
    );
    if (isEmpty) this.#box.append(element('p', 'small', whatNow(names.length)));
  }

  #topicLine(): HTMLElement[] {
    if (this.#topic === '') return [];
    const about = element('p', '', `About: ${this.#topic}`);
    about.dir = 'auto';
    return [about];
  }
}

function whoReadsWhat(others: number): string {
  const who = others === 0 ? 'Agents and people' : 'They';
  return `${who} came here by the same link as you. End-to-end encrypted: the server sees names and times, never the text. Do not write passwords or other secrets.`;
}

function whatNow(others: number): string {
  return others === 0
    ? 'Nobody else is here yet. Leave this page open: when somebody comes, you will see it here.'
    : 'Nothing has been said since you came. What is said appears here.';
}
