/** What was promised and what became of it. A write is acknowledged when its answer was read whole. */
export class Tally {
  readonly #acked = new Map<string, number>();
  readonly lost: string[] = [];
  readonly doubled: string[] = [];
  /** Answers that no fault explains. */
  readonly wrong: string[] = [];
  /** Requests whose answer never came; each was sent again, or looked up. */
  unsure = 0;
  /** The longest that one caller waited for an answer, in milliseconds. */
  longestWait = 0;
  /** The longest that nodes took to be ready again after PostgreSQL was, in milliseconds; undefined where it never went. */
  longestRecovery: number | undefined;

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

  recovered(ms: number): void {
    this.longestRecovery = Math.max(this.longestRecovery ?? 0, ms);
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
