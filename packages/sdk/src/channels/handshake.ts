import { BoundedMap } from './bounded.ts';

const REMEMBERED = 1_000;

export interface HandshakeMemory {
  answered: string[];
  paired: string[];
}

/**
 * Who has proved to hold the key. A newcomer says hello with a challenge, everyone answers with a welcome that repeats
 * it; the newcomer recognises its own challenge. Each (sender, challenge) is answered once, each peer is paired once.
 */
export class Handshake {
  readonly #challenge: string | undefined;
  readonly #answered: BoundedMap<true>;
  readonly #paired: BoundedMap<true>;

  constructor(challenge: string | undefined, memory?: HandshakeMemory) {
    this.#challenge = challenge;
    this.#answered = new BoundedMap(REMEMBERED, marked(memory?.answered));
    this.#paired = new BoundedMap(REMEMBERED, marked(memory?.paired));
  }

  /** True once per hello; `forgetHello` takes it back when the answer could not be sent. */
  takeHello(from: string, challenge: string): boolean {
    const hello = helloId(from, challenge);
    if (this.#answered.has(hello)) return false;
    this.#answered.set(hello, true);
    return true;
  }

  forgetHello(from: string, challenge: string): void {
    this.#answered.delete(helloId(from, challenge));
  }

  /** True when this welcome is the first proof that `from` holds the key. */
  takeWelcome(from: string, challenge: string): boolean {
    if (this.#challenge === undefined || challenge.toLowerCase() !== this.#challenge.toLowerCase())
      return false;
    if (this.#paired.has(from)) return false;
    this.#paired.set(from, true);
    return true;
  }

  /** Whoever comes back under this name has to prove it again. */
  left(name: string): void {
    this.#paired.delete(name);
  }

  /** A sleeping channel was rejoined: everyone says hello again. */
  restart(): void {
    this.#answered.clear();
    this.#paired.clear();
  }

  memory(): HandshakeMemory {
    return { answered: keys(this.#answered), paired: keys(this.#paired) };
  }
}

function helloId(from: string, challenge: string): string {
  return `${challenge.toLowerCase()} ${from}`;
}

function marked(names: readonly string[] = []): [string, true][] {
  return names.map((name) => [name, true]);
}

function keys(map: BoundedMap<true>): string[] {
  return map.entries().map(([key]) => key);
}
