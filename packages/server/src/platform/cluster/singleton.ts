import type { Timer } from '../clock.ts';
import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { errorFields } from '../log.ts';
import type { Parts } from '../parts.ts';
import type { Cluster } from './join-cluster.ts';

export interface SingletonOptions extends Pick<Parts, 'log' | 'clock' | 'database'> {
  readonly cluster: Pick<Cluster, 'node' | 'isAlone'>;
}

/** The right to do what only one node does, under a number that grows with every holder. */
export interface Hold {
  readonly fence: number;
  /** Throws when another node holds it by now: what this transaction wrote is then undone. Nobody takes it over before it ends. */
  check(tx: Tx): Promise<void>;
}

export interface SingletonWork {
  /** It is this node's now. */
  readonly took: (hold: Hold) => Promise<void> | void;
  /** It is not, or no longer for sure. */
  readonly lost: () => Promise<void> | void;
}

export class HoldLostError extends Error {
  override readonly name = 'HoldLostError';
  constructor(name: string) {
    super(`another node does "${name}" now`);
  }
}

/** A holder that gave no sign for this long is replaced; looked for every two seconds, so within ten of its death. */
const LEASE_MS = 7_500;
const LOOK_MS = 2_000;

/**
 * What one node does for all, such as the git mirror.
 *
 *   waiting ─ nobody holds it, or its holder gave no sign for 7.5 s ─→ holding, under the next number
 *   holding ─ renewed every 2 s ─→ holding
 *           ─ not renewed in time, or found taken ─→ waiting; the work is told to stop
 *           ─ closed ─→ given back at once
 *
 * A node that stood still may believe for a moment that it still holds: what it writes goes through `check`, and is refused.
 */
export class Singleton {
  readonly #name: string;
  readonly #options: SingletonOptions;
  readonly #work: SingletonWork;
  #fence: number | undefined;
  #until = 0;
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();
  /** How the work began; renewing does not wait for it. */
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(name: string, options: SingletonOptions, work: SingletonWork) {
    this.#name = name;
    this.#options = options;
    this.#work = work;
  }

  get held(): boolean {
    const { clock, cluster } = this.#options;
    return this.#fence !== undefined && (cluster.isAlone || clock.now() < this.#until);
  }

  /** On a store that no other node uses it is held at once, whoever held it before, and for good. */
  async start(): Promise<void> {
    await this.#look();
    if (!this.#options.cluster.isAlone) this.#again();
    await this.#working;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#timer?.cancel();
    await this.#looking;
    const fence = this.#fence;
    if (fence === undefined) return;
    await this.#lose();
    const { database, log } = this.#options;
    await database
      .write((tx) =>
        tx.run(sql`
        UPDATE singletons SET held_until = 0 WHERE name = ${this.#name} AND fence = ${fence}`),
      )
      .catch(log.failed('singleton_not_given_back', 'warn'));
  }

  #again(): void {
    this.#timer = this.#options.clock.after(LOOK_MS, () => {
      this.#looking = this.#look()
        .catch((error: unknown) =>
          this.#options.log.warn('singleton_unknown', { name: this.#name, ...errorFields(error) }),
        )
        .then(async () => {
          // The store could not be asked for so long that another may have it by now.
          if (this.#fence !== undefined && !this.held) await this.#lose();
          if (!this.#closed) this.#again();
        });
    });
  }

  async #look(): Promise<void> {
    const { database, clock, cluster, log } = this.#options;
    const name = this.#name;
    const now = clock.now();
    const until = now + LEASE_MS;
    if (this.#fence !== undefined) {
      const fence = this.#fence;
      const renewed = await database.write((tx) =>
        tx.run(sql`UPDATE singletons SET held_until = ${until} WHERE name = ${name} AND fence = ${fence}`),
      );
      if (renewed === 1) this.#until = until;
      else await this.#lose();
      return;
    }
    const taken = await database.write((tx) =>
      tx.get<{ fence: number }>(sql`
        INSERT INTO singletons (name, fence, holder, held_until) VALUES (${name}, 1, ${cluster.node}, ${until})
        ON CONFLICT (name) DO UPDATE
          SET fence = singletons.fence + 1, holder = excluded.holder, held_until = excluded.held_until
          WHERE singletons.held_until <= ${cluster.isAlone ? Number.MAX_SAFE_INTEGER : now}
        RETURNING fence`),
    );
    if (!taken || this.#closed) return;
    const { fence } = taken;
    this.#fence = fence;
    this.#until = until;
    log.info('singleton_taken', { name, fence });
    this.#working = Promise.resolve(this.#work.took({ fence, check: (tx) => this.#check(tx, fence) }));
    this.#working.catch((error: unknown) => log.error('singleton_failed', { name, ...errorFields(error) }));
  }

  async #check(tx: Tx, fence: number): Promise<void> {
    const name = this.#name;
    const held = await tx.get(
      this.#options.database.dialect === 'postgres'
        ? sql`SELECT 1 AS held FROM singletons WHERE name = ${name} AND fence = ${fence} FOR SHARE`
        : sql`SELECT 1 AS held FROM singletons WHERE name = ${name} AND fence = ${fence}`,
    );
    if (!held) throw new HoldLostError(this.#name);
  }

  async #lose(): Promise<void> {
    if (this.#fence === undefined) return;
    this.#fence = undefined;
    this.#options.log.info('singleton_lost', { name: this.#name });
    await this.#work.lost();
  }
}

/** Does something while no other node does it, and waits until that is so. */
export async function alone(
  name: string,
  options: SingletonOptions,
  work: (hold: Hold) => Promise<void>,
): Promise<void> {
  let done: Promise<void> | undefined;
  await new Promise<void>((resolve, reject) => {
    const once = async (hold: Hold): Promise<void> => {
      try {
        await work(hold);
      } finally {
        await singleton.close();
      }
    };
    const singleton = new Singleton(name, options, {
      took: (hold) => {
        done ??= once(hold);
        void done.then(resolve, reject);
      },
      lost: () => {},
    });
    singleton.start().catch(reject);
  });
}
