import { join } from 'node:path';
import type { Timer } from '../../platform/clock.ts';
import type { Cluster } from '../../platform/cluster/join-cluster.ts';
import { type Hold, HoldLostError, Singleton } from '../../platform/cluster/singleton.ts';
import { errorFields } from '../../platform/log.ts';
import type { Platform } from '../../platform.ts';
import { ExportRefused, GitError, type MirrorFault } from './errors.ts';
import { exportMemory } from './export.ts';
import { newestByOwner, newestOfAll } from './export-store.ts';
import { GitProgram } from './git-program.ts';
import type { MirrorTelemetry } from './mirror-telemetry.ts';
import { ownersWithRevisions } from './revision-pages.ts';

export interface MirrorOptions extends Pick<Platform, 'database' | 'clock' | 'log'> {
  readonly telemetry: MirrorTelemetry;
  /** Holds a repository for each owner, by slug. */
  readonly directory: string;
  readonly gitProgram: string;
  readonly slugOf: (ownerId: string) => Promise<string | undefined>;
  readonly cluster: Pick<Cluster, 'node' | 'isAlone'>;
}

/** Writes that follow each other closely become one run of git. */
const GATHER_MS = 2_000;
/** How often writes of other processes are looked for. */
const SWEEP_MS = 30_000;
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 600_000;

interface Due {
  readonly at: number;
  readonly failures: number;
}

/*
 * One git at a time, at one node of those that share the store, away from every request:
 *
 *   touched → gathering (2 s) → exporting ─┬─ done: forgotten until it is touched again
 *                                          └─ failed: due again after 5 s, 10 s, … 10 min
 *
 * What a repository holds is read from the repository each time. So nothing is lost when the server ends in between: at
 * start every owner counts as touched.
 */
export class MemoryMirror {
  readonly #options: MirrorOptions;
  readonly #due = new Map<string, Due>();
  readonly #stopping = new AbortController();
  readonly #told = new Set<string>();
  #timer: Timer | undefined;
  #sweep: Timer | undefined;
  #running: Promise<void> | undefined;
  #sweeping: Promise<void> | undefined;
  readonly #singleton: Singleton;
  #hold: Hold | undefined;
  #seen = 0;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#singleton = new Singleton('memory mirror', options, {
      took: (hold) => this.#begin(hold),
      lost: () => this.#end(),
    });
    options.telemetry.watch({
      pending: () => this.#due.size + (this.#running ? 1 : 0),
      failing: () => [...this.#due.values()].filter(({ failures }) => failures > 0).length,
    });
  }

  async start(): Promise<void> {
    await this.#singleton.start();
  }

  async #begin(hold: Hold): Promise<void> {
    this.#hold = hold;
    const { read } = this.#options.database;
    this.#seen = await newestOfAll(read);
    for await (const ownerId of ownersWithRevisions(read)) this.touched(ownerId);
    this.#sweepLater();
  }

  /** Another node goes on, from what the repositories hold. */
  #end(): void {
    this.#hold = undefined;
    this.#due.clear();
    this.#timer?.cancel();
    this.#sweep?.cancel();
  }

  /** Costs nothing but a note: called after every write. */
  touched(ownerId: string): void {
    if (!this.#hold || this.#stopping.signal.aborted || this.#due.has(ownerId)) return;
    this.#due.set(ownerId, { at: this.#options.clock.now() + GATHER_MS, failures: 0 });
    this.#schedule();
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    while (this.#running ?? this.#sweeping) await (this.#running ?? this.#sweeping);
  }

  /** Ends a git that is at work; the rest is made up for at the next start. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#timer?.cancel();
    this.#sweep?.cancel();
    await this.idle();
    await this.#singleton.close();
  }

  #schedule(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#running || this.#stopping.signal.aborted || this.#due.size === 0) return;
    const first = Math.min(...[...this.#due.values()].map(({ at }) => at));
    this.#timer = this.#options.clock.after(Math.max(0, first - this.#options.clock.now()), () => {
      this.#running = this.#runDue().finally(() => {
        this.#running = undefined;
        this.#schedule();
      });
    });
  }

  async #runDue(): Promise<void> {
    const now = this.#options.clock.now();
    for (const [ownerId, { at, failures }] of this.#due) {
      if (at > now || this.#stopping.signal.aborted) continue;
      this.#due.delete(ownerId);
      await this.#mirror(ownerId, failures);
    }
  }

  async #mirror(ownerId: string, failures: number): Promise<void> {
    const { clock, database, directory, gitProgram, slugOf, telemetry } = this.#options;
    let slug = ownerId;
    try {
      const hold = this.#hold;
      if (!hold) return;
      // It may have stood still for so long that another node writes there now.
      const stillMine = (): Promise<void> => database.write((tx) => hold.check(tx));
      await stillMine();
      slug = (await slugOf(ownerId)) ?? ownerId;
      const git = new GitProgram({ program: gitProgram, clock, signal: this.#stopping.signal });
      const owner = { id: ownerId, slug };
      const { commits } = await exportMemory({
        database,
        git,
        owner,
        directory: join(directory, slug),
        stillMine,
      });
      telemetry.exported(commits);
      this.#recovered();
    } catch (error) {
      if (this.#stopping.signal.aborted || error instanceof HoldLostError) return;
      const retryMs = Math.min(FIRST_RETRY_MS * 2 ** failures, LAST_RETRY_MS);
      this.#due.set(ownerId, { at: clock.now() + retryMs, failures: failures + 1 });
      this.#failed(error, slug, retryMs);
    }
  }

  /** Each kind of failure is told once; what follows only counts. */
  #failed(error: unknown, slug: string, retryMs: number): void {
    const { directory, log, telemetry } = this.#options;
    const fault = faultOf(error);
    telemetry.failed(fault);
    const kind = fault === 'refused' ? `refused ${slug}` : fault;
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    log.error('memory_mirror_failed', {
      fault,
      owner: slug,
      directory: join(directory, slug),
      retry_seconds: Math.ceil(retryMs / 1000),
      way_out: WAYS_OUT[fault],
      ...errorFields(error),
    });
  }

  #recovered(): void {
    if (this.#told.size === 0 || [...this.#due.values()].some(({ failures }) => failures > 0)) return;
    this.#told.clear();
    this.#options.log.info('memory_mirror_recovered');
  }

  #sweepLater(): void {
    this.#sweep = this.#options.clock.after(SWEEP_MS, () => {
      this.#sweeping = this.#lookForOthers()
        .catch(this.#options.log.failed('memory_mirror_sweep_failed'))
        .finally(() => {
          this.#sweeping = undefined;
          if (this.#hold && !this.#stopping.signal.aborted) this.#sweepLater();
        });
    });
  }

  /** Writes of other servers on the same database, and of commands on the host. */
  async #lookForOthers(): Promise<void> {
    const rows = await newestByOwner(this.#options.database.read, this.#seen);
    for (const { owner_id: ownerId, id } of rows) {
      this.#seen = Math.max(this.#seen, id);
      this.touched(ownerId);
    }
  }
}

function faultOf(error: unknown): MirrorFault {
  if (error instanceof ExportRefused) return 'refused';
  if (!(error instanceof GitError)) return 'store';
  return error.fault === 'stopped' ? 'failed' : error.fault;
}

const WAYS_OUT: Readonly<Record<MirrorFault, string>> = {
  missing: 'install git, or say where it is with git_program',
  failed: 'run "parley memory export --git FOLDER --owner SLUG" to see what git says',
  stalled: 'see what holds git up: a full or slow disk, a lock of another program',
  refused: 'move the folder away; it will be made anew',
  store: 'see the error; the mirror goes on by itself when the store answers',
};
