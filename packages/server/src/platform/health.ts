import type { Clock } from './clock.ts';
import { within } from './within.ts';

/** What was found when somebody last looked. */
export interface Findings {
  readonly ready: boolean;
  readonly services: Readonly<Record<string, 'ok' | 'failing'>>;
  /** Keys that modules add to `/health` and have to ask the store for. */
  readonly counted: object;
}

/** However often somebody asks, the store is asked once in this time, and nobody waits longer for it. */
const LOOK_MS = 1_000;
/** A check that takes longer has failed: whoever asks whether this server is ready asks again every few seconds. */
const READY_MS = 2_000;

const ok = (): 'ok' => 'ok';
const failing = (): 'failing' => 'failing';

/** What `/health`, `/status` and `/ready` say: each module contributes its own keys, the platform knows none of them. */
export class Health {
  readonly #clock: Clock;
  readonly #parts: (() => object)[] = [];
  readonly #counts: (() => Promise<object>)[] = [];
  readonly #checks = new Map<string, () => Promise<void>>();
  #last: { readonly at: number; readonly findings: Promise<Findings> } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds top-level keys to `/health`. Must be cheap: kept counters, never a walk. */
  contribute(part: () => object): void {
    this.#parts.push(part);
  }

  /** The same for keys that the store is asked for. */
  count(part: () => Promise<object>): void {
    this.#counts.push(part);
  }

  /** Adds a readiness check; it fails by throwing. */
  check(name: string, probe: () => Promise<void>): void {
    this.#checks.set(name, probe);
  }

  document(): object {
    return Object.assign({}, ...this.#parts.map((part) => part()));
  }

  async readiness(): Promise<Pick<Findings, 'ready' | 'services'>> {
    const services: Record<string, 'ok' | 'failing'> = {};
    for (const [name, probe] of this.#checks) {
      services[name] = await within(this.#clock, READY_MS, probe().then(ok, failing), 'failing');
    }
    return { ready: Object.values(services).every((state) => state === 'ok'), services };
  }

  /** As of at most a second ago. A store that does not answer in that time is told as failing. */
  async lately(): Promise<Findings> {
    const now = this.#clock.monotonic();
    if (!this.#last || now - this.#last.at >= LOOK_MS) this.#last = { at: now, findings: this.#look() };
    return await this.#last.findings;
  }

  async #look(): Promise<Findings> {
    const services = Object.fromEntries([...this.#checks.keys()].map((name) => [name, 'failing' as const]));
    return await within(this.#clock, LOOK_MS, this.#find(), { ready: false, services, counted: {} });
  }

  async #find(): Promise<Findings> {
    const [readiness, ...counted] = await Promise.all([
      this.readiness(),
      ...this.#counts.map((count) => count().catch(() => ({}))),
    ]);
    return { ...readiness, counted: Object.assign({}, ...counted) };
  }
}
