/** What `/health` and `/ready` say: each module contributes its own keys, the platform knows none of them. */
export class Health {
  readonly #parts: (() => object)[] = [];
  readonly #checks = new Map<string, () => Promise<void>>();

  /** Adds top-level keys to `/health`. Must be cheap: kept counters, never a walk. */
  contribute(part: () => object): void {
    this.#parts.push(part);
  }

  /** Adds a readiness check; it fails by throwing. */
  check(name: string, probe: () => Promise<void>): void {
    this.#checks.set(name, probe);
  }

  document(): object {
    return Object.assign({}, ...this.#parts.map((part) => part()));
  }

  async readiness(): Promise<{ ready: boolean; services: Record<string, 'ok' | 'failing'> }> {
    const services: Record<string, 'ok' | 'failing'> = {};
    for (const [name, probe] of this.#checks) {
      services[name] = await probe().then(
        () => 'ok' as const,
        () => 'failing' as const,
      );
    }
    return { ready: Object.values(services).every((state) => state === 'ok'), services };
  }
}
