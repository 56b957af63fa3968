import type { Unsubscribe } from '../bus/bus.ts';
import type { Timer } from '../clock.ts';
import type { Parts } from '../parts.ts';

export interface OverflowOptions extends Pick<Parts, 'clock' | 'bus'> {
  /** Whether there is another node to tell. */
  readonly hasOthers: () => boolean;
  /** There is work of this group that somebody has no place for. */
  readonly heard: (kind: string, group: string) => void;
}

const SUBJECT = 'jobs.overflow';
const GATHER_MS = 100;
/** In one hint; the rest is told with the next. */
const MOST_GROUPS = 32;

/**
 * Due work that a node has no place for, told to the others.
 *
 * Whoever stores a job runs it itself, now or when it is due. A hint for each would be pure cost: the webhook of every message would
 * wake every node, and all but one would find nothing. Nor is one needed for what is due later: every node looks for that by itself
 * every five seconds and sets its clock by it, which also finds what a node that died had planned. So others are told only when the
 * one that knows of due work cannot begin it, for all its places of the kind are taken or it is stopping. Of those that hear it only
 * the ones with a free place ask for work. What comes within a tenth of a second is told together, so that a long queue costs some
 * looks a second and not one for each job. A hint that is lost costs the five seconds.
 */
export class Overflow {
  readonly #options: OverflowOptions;
  readonly #gathered = new Map<string, readonly [kind: string, group: string]>();
  #timer: Timer | undefined;
  #leave: Unsubscribe | undefined;

  constructor(options: OverflowOptions) {
    this.#options = options;
  }

  open(): void {
    this.#leave ??= this.#options.bus.subscribe(SUBJECT, (hint) => {
      // What this program published itself.
      for (const [kind, group] of JSON.parse(hint) as [string, string][]) this.#options.heard(kind, group);
    });
  }

  /** Hears no more. What is told from now on goes out at once. */
  close(): void {
    this.#leave?.();
    this.#leave = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#send(this.#gathered.size);
  }

  tell(kind: string, group: string): void {
    if (!this.#options.hasOthers()) return;
    this.#gathered.set(JSON.stringify([kind, group]), [kind, group]);
    if (!this.#timer) this.#sendSome();
  }

  #sendSome(): void {
    this.#timer = undefined;
    if (this.#gathered.size === 0) return;
    this.#send(MOST_GROUPS);
    if (this.#leave) this.#timer = this.#options.clock.after(GATHER_MS, () => this.#sendSome());
  }

  #send(most: number): void {
    const told = [...this.#gathered].slice(0, most);
    if (told.length === 0) return;
    for (const [name] of told) this.#gathered.delete(name);
    this.#options.bus.publish(SUBJECT, JSON.stringify(told.map(([, each]) => each)));
  }
}
