/** Whoever wants to know of something, told one after the other in the order in which they came, of what each asks for. */
export class Observers<Observer> {
  readonly #all: Partial<Observer>[] = [];

  add(observer: Partial<Observer>): void {
    this.#all.push(observer);
  }

  async tell(told: (observer: Partial<Observer>) => Promise<void> | undefined): Promise<void> {
    for (const observer of this.#all) await told(observer);
  }
}
