/** How many jobs of a kind may run at once. One that falls free goes to whoever has waited for it longest. */
export class Places {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  get hasFree(): boolean {
    return this.#free > 0;
  }

  /** As many as there are, up to `wanted`. When there are none, `tell` is called as soon as there are. */
  take(wanted: number, tell: () => void): number {
    const taken = Math.min(wanted, this.#free);
    this.#free -= taken;
    if (taken === 0) this.#waiting.add(tell);
    return taken;
  }

  giveBack(count: number): void {
    this.#free += count;
    for (const tell of this.#waiting) {
      if (this.#free === 0) return;
      this.#waiting.delete(tell);
      tell();
    }
  }
}
