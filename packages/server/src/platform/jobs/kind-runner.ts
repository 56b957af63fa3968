import type { Timer } from '../clock.ts';
import { errorFields } from '../log.ts';
import { GroupRunner, type GroupRunnerOptions } from './group-runner.ts';
import { waitingGroups } from './job-store.ts';
import { Places } from './places.ts';

export interface KindRunnerOptions extends Omit<GroupRunnerOptions, 'group' | 'places' | 'noPlace' | 'idle'> {
  /** No other process adds or claims jobs of this store. */
  readonly isAlone: boolean;
  /** Tells other nodes of work that is due and cannot be begun here. */
  readonly noPlace: (group: string) => void;
}

/** Other nodes add jobs unheard as long as they have places for them, and hold jobs when they die: this finds them. */
const SHARED_STORE_LOOK_MS = 5_000;
const AFTER_ERROR_MS = 1_000;

/** The groups of a kind that have something to do. */
export class KindRunner {
  readonly #options: KindRunnerOptions;
  #groups = new Map<string, GroupRunner>();
  #places: Places;
  #active = false;
  #stopped = false;
  #timer: Timer | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: KindRunnerOptions) {
    this.#options = options;
    this.#places = new Places(options.rules.concurrency);
  }

  start(): void {
    this.#active = true;
    this.#stopped = false;
    this.#groups = new Map();
    this.#places = new Places(this.#options.rules.concurrency);
    this.#lookAround();
  }

  wake(group: string, time: number): void {
    if (this.#active) this.#groupOf(group).wake(time);
    else if (this.#stopped && time <= this.#options.clock.now()) this.#options.noPlace(group);
  }

  /** Another node has no place for work of this group. */
  help(group: string): void {
    if (this.#active && this.#places.hasFree) this.#groupOf(group).wake(this.#options.clock.now());
  }

  /** The job left the store: whoever runs it here is told, and its lane may have moved on. */
  lose({ id, group }: { id: number; group: string }): void {
    this.#groups.get(group)?.lose(id);
    this.wake(group, this.#options.clock.now());
  }

  /** Claims nothing more. Resolves when what runs has ended. */
  async stop(): Promise<void> {
    this.#active = false;
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#looking;
    await Promise.all([...this.#groups.values()].map((group) => group.stop()));
  }

  async giveBack(): Promise<void> {
    await Promise.all([...this.#groups.values()].map((group) => group.giveBack()));
  }

  #groupOf(group: string): GroupRunner {
    const known = this.#groups.get(group);
    if (known) return known;
    const groups = this.#groups;
    const idle = (runner: GroupRunner): void => {
      if (groups.get(group) === runner) groups.delete(group);
    };
    const noPlace = (): void => this.#options.noPlace(group);
    const made = new GroupRunner({ ...this.#options, group, places: this.#places, noPlace, idle });
    groups.set(group, made);
    return made;
  }

  /** There may be something to do that nobody here was told of. */
  lookAround(): void {
    if (!this.#active) return;
    this.#timer?.cancel();
    this.#lookAround();
  }

  #lookAround(): void {
    const { database, log, kind, isAlone } = this.#options;
    this.#looking = waitingGroups(database.read, kind)
      .then((found) => {
        for (const { group, wakeAt } of found) this.wake(group, wakeAt);
        if (!isAlone) this.#lookAgain(SHARED_STORE_LOOK_MS);
      })
      .catch((error: unknown) => {
        log.error('jobs_not_read', { kind, ...errorFields(error) });
        this.#lookAgain(AFTER_ERROR_MS);
      });
  }

  #lookAgain(ms: number): void {
    if (this.#active) this.#timer = this.#options.clock.after(ms, () => this.#lookAround());
  }
}
