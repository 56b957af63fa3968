/** How many live channels each address has created. An address without any is not remembered. */
export class AddressSlots {
  readonly #taken = new Map<string, number>();

  get addresses(): number {
    return this.#taken.size;
  }

  of(address: string): number {
    return this.#taken.get(address) ?? 0;
  }

  take(address: string): void {
    this.#taken.set(address, this.of(address) + 1);
  }

  release(address: string): void {
    const left = this.of(address) - 1;
    if (left > 0) this.#taken.set(address, left);
    else this.#taken.delete(address);
  }
}
