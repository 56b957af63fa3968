import type { Timer } from '../clock.ts';
import type { Reader } from '../database/database.ts';
import { column, type RowOf, table } from '../database/table.ts';
import { DAY } from '../units.ts';
import type { Parts } from '../parts.ts';
import type { NodeLock } from './node-lock.ts';

/** A process that serves this store. Times in Unix milliseconds, by the clock of whoever wrote them. */
const nodes = table('nodes', {
  id: column<string>(),
  url: column<string>(),
  version: column<string>(),
  started_at: column<number>(),
  seen_at: column<number>(),
});

export type NodeRow = RowOf<typeof nodes>;

export interface MembershipOptions extends Pick<Parts, 'log' | 'clock' | 'bus' | 'database'> {
  readonly id: string;
  /** One that ended without leaving: its folder is this one's now, which no two have. */
  readonly before: string | undefined;
  readonly url: string;
  readonly version: string;
  /** This node's, which also tells of others whether they have ended. */
  readonly place: Pick<NodeLock, 'confirm' | 'isGone' | 'heldForMs'>;
  /** Told of one that has: what it held is free. */
  readonly gone: (node: string) => Promise<void>;
}

const CHANGED = 'cluster.nodes';
const BEAT_MS = 5_000;
/** Two beats: one that missed them is asked about. */
const SILENT_MS = 10_000;
/** Three beats: what was not seen for longer is gone, or frozen, and counts no more. */
export const GONE_MS = 15_000;
/**
 * Who has just regained its own place may find another without one that is about to regain it, as after a restart of the database: for
 * so long nobody is buried.
 */
const SETTLED_MS = 10_000;
const FORGOTTEN_MS = DAY;

/** This node's line in the list of nodes, kept fresh as long as it lives, and taken out when it stops. */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #startedAt: number;
  readonly #stopListening: () => void;
  #timer: Timer | undefined;
  /** Those whose process had ended at the last beat. */
  #goneOnce: ReadonlySet<string> = new Set();
  #beating: Promise<void> = Promise.resolve();
  #left: Promise<void> | undefined;
  #arrived = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    const { bus, log } = options;
    // One that comes or goes says so; one that falls silent is missed by its beats.
    this.#stopListening = bus.subscribe(CHANGED, (id) => {
      if (id === options.id || this.#left) return;
      this.#look().catch(log.failed('nodes_not_seen', 'warn'));
    });
  }

  /** The server listens already: a database that is away at this moment is waited for, as at any later one. */
  async start(): Promise<void> {
    this.#beating = this.#tryBeat();
    await this.#beating;
    if (!this.#left) this.#again();
  }

  /** Who else serves this store, as far as was last seen. */
  others: readonly string[] = [];

  close(): Promise<void> {
    return (this.#left ??= this.#leave());
  }

  async #leave(): Promise<void> {
    this.#timer?.cancel();
    this.#stopListening();
    await this.#beating;
    const { database, id, log, bus } = this.#options;
    await database
      .write((tx) => tx.run(nodes.delete`WHERE id = ${id}`))
      .catch(log.failed('node_not_taken_out', 'warn'));
    bus.publish(CHANGED, id);
  }

  #again(): void {
    this.#timer = this.#options.clock.after(BEAT_MS, () => {
      this.#beating = this.#tryBeat().then(() => {
        if (!this.#left) this.#again();
      });
    });
  }

  #tryBeat(): Promise<void> {
    return this.#beat().catch(this.#options.log.failed('node_not_seen', 'warn'));
  }

  /** What is done once, when it is in the list. */
  async #arrive(): Promise<void> {
    const { database, before, bus, id } = this.#options;
    const all = await listNodes(database.read);
    await this.#bury(all.filter((node) => node.id === before));
    bus.publish(CHANGED, id);
    this.#arrived = true;
  }

  async #beat(): Promise<void> {
    const { database, clock, id, url, version, place } = this.#options;
    const now = clock.now();
    const goneBefore = this.#goneOnce;
    this.#goneOnce = new Set();
    const confirmed = place.confirm();
    await database.write(async (tx) => {
      const own = { id, url, version, started_at: this.#startedAt, seen_at: now };
      await tx.run(nodes.inserting(own)`ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`);
      await tx.run(nodes.delete`WHERE seen_at < ${now - FORGOTTEN_MS}`);
    });
    await confirmed;
    const others = await this.#look();
    const stoodHere = (node: NodeRow): boolean => node.url === url && node.seen_at < this.#startedAt;
    const suspects = others.filter((node) => now - node.seen_at >= SILENT_MS || stoodHere(node));
    const gone = await this.#gone(suspects);
    this.#goneOnce = new Set(gone.map((node) => node.id));
    if (place.heldForMs >= SETTLED_MS) await this.#bury(gone.filter((node) => goneBefore.has(node.id)));
    if (!this.#arrived) await this.#arrive();
  }

  async #look(): Promise<NodeRow[]> {
    const { database, clock, id } = this.#options;
    const others = (await listNodes(database.read)).filter((node) => node.id !== id);
    const now = clock.now();
    this.others = others.filter(({ seen_at: at }) => now - at < GONE_MS).map((node) => node.id);
    return others;
  }

  /** Of those that were silent for a while, or stood in this node's place before it began, the ones whose process has ended. */
  async #gone(suspects: readonly NodeRow[]): Promise<NodeRow[]> {
    const gone: NodeRow[] = [];
    for (const node of suspects) if (await this.#options.place.isGone(node.id)) gone.push(node);
    return gone;
  }

  /** Those found gone at two beats in a row: a living one that lost its place for a moment has it again by then. */
  async #bury(ended: readonly NodeRow[]): Promise<void> {
    const { database, log, gone } = this.#options;
    for (const { id, url } of ended) {
      await gone(id);
      await database.write((tx) => tx.run(nodes.delete`WHERE id = ${id}`));
      log.warn('node_gone', { node: id, url });
    }
  }
}

/** Those that were there within a day, longest-lived first. */
export async function listNodes(reader: Reader): Promise<NodeRow[]> {
  return await reader.all<NodeRow>(nodes.select`ORDER BY started_at, id`);
}
