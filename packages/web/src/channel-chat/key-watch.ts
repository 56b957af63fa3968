import type { Conversation } from './conversation.ts';
import type { KeyCheck } from './key-check.ts';
import type { Peer } from './peers.ts';
import { namesInWords } from './words.ts';

/** Says once per name when somebody holds another key, or one that could not be compared. */
export class KeyWatch {
  readonly #conversation: Conversation;
  readonly #told = new Set<string>();

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  atJoin(check: KeyCheck): void {
    this.#tell(check.different, check.unknown);
    for (const name of check.equal) this.#told.add(name);
  }

  later(peers: readonly Peer[]): void {
    const named = (key: Peer['key']) => peers.filter((peer) => peer.key === key).map((peer) => peer.name);
    this.#tell(named('other'), named('unknown'));
  }

  #tell(different: readonly string[], unknown: readonly string[]): void {
    const fresh = (names: readonly string[]) => names.filter((name) => !this.#told.has(name));
    const [others, unchecked] = [fresh(different), fresh(unknown)];
    if (others.length > 0) {
      const text = `${namesInWords(others)} came with a different key: you cannot read each other.`;
      this.#conversation.note(text, 'warn');
    }
    if (unchecked.length > 0) {
      const text = `Whether ${namesInWords(unchecked)} came with the same key cannot be checked yet.`;
      this.#conversation.note(text);
    }
    for (const name of [...others, ...unchecked]) this.#told.add(name);
  }
}
