/** What was promised and what became of it. A write is acknowledged when its answer was read whole. */
export class Tally {
  readonly #acked = new Map<string, number>();
  readonly #took = new Map<string, number>();
  #sparing: string | undefined;
  readonly lost: string[] = [];
  readonly doubled: string[] = [];
  /** Answers that no fault explains. */
  readonly wrong: string[] = [];
  /** Requests whose answer never came; each was sent again, or looked up. */
  unsure = 0;
  /** The longest that one caller waited for an answer, in milliseconds. */
  longestWait = 0;
  /** How long after its time the latest cue fired, in milliseconds. */
  latestFire = 0;

  acked(kind: string): void {
    this.#acked.set(kind, (this.#acked.get(kind) ?? 0) + 1);
  }

  get total(): number {
    return [...this.#acked.values()].reduce((sum, count) => sum + count, 0);
  }

  get byKind(): string {
    return [...this.#acked].map(([kind, count]) => `${kind} ${count}`).join(', ');
  }

  waited(ms: number): void {
    this.longestWait = Math.max(this.longestWait, ms);
  }

  fired(lateMs: number): void {
    this.latestFire = Math.max(this.latestFire, lateMs);
  }

  /** What was promised to take no longer than this took so long. */
  took(what: string, ms: number, promisedMs: number): void {
    this.#took.set(what, Math.max(this.#took.get(what) ?? 0, ms));
    if (ms > promisedMs) this.wrong.push(`${what} took ${Math.round(ms)} ms, and may take ${promisedMs}`);
  }

  /** While this runs, nobody may be refused or cut. */
  async sparing(when: string, during: () => Promise<void>): Promise<void> {
    this.#sparing = when;
    try {
      await during();
    } finally {
      this.#sparing = undefined;
    }
  }

  /** Somebody was refused or cut. */
  failed(what: string): void {
    if (this.#sparing !== undefined) this.wrong.push(`${what}, ${this.#sparing}`);
  }

  /** The longest of each of those that were promised a time. */
  get times(): string {
    return [...this.#took].map(([what, ms]) => `${what} ${Math.round(ms)} ms`).join(', ');
  }

  /** How often each of `wanted` is there: once, if it was acknowledged. */
  compare(kind: string, wanted: Iterable<string>, found: Iterable<string>): void {
    const counts = new Map<string, number>();
    for (const each of found) counts.set(each, (counts.get(each) ?? 0) + 1);
    for (const each of wanted) if (!counts.has(each)) this.lost.push(`${kind} ${each}`);
    for (const [each, count] of counts) if (count > 1) this.doubled.push(`${kind} ${each}, ${count} times`);
  }

  get isClean(): boolean {
    return this.lost.length + this.doubled.length + this.wrong.length === 0;
  }
}
