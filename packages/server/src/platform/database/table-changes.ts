import type { Bus } from '../bus/bus.ts';
import { systemClock } from '../clock.ts';
import { within } from '../within.ts';

/** Every table that a statement may write to. What is none (`FOR UPDATE SKIP`, `DO UPDATE SET`) is nobody's table either. */
const WRITES = /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+"?(\w+)/gi;

const SUBJECT = 'database.changed';
const NONE: readonly string[] = [];
const BUILT_TEXTS_KEPT = 256;

/** A Redis that hangs holds up no write for longer. */
const PATIENCE_MS = 100;

/**
 * Tells whoever keeps copies of rows that their tables changed. It looks at the statements themselves, so that no write can
 * forget to say so; a transaction hands in what it wrote when its commit is on disk, before its hooks run and its caller
 * goes on.
 */
export class TableChanges {
  readonly #listeners = new Map<string, (() => void)[]>();
  #written = new WeakMap<readonly string[], readonly string[]>();
  readonly #built = new Map<string, readonly string[]>();
  #publish: ((tables: readonly string[]) => Promise<void>) | undefined;

  watch(tables: readonly string[], changed: () => void): void {
    for (const table of tables) this.#listeners.set(table, [...(this.#listeners.get(table) ?? []), changed]);
    // Statements are looked at once, for what is watched then.
    this.#written = new WeakMap();
    this.#built.clear();
  }

  /** Hints between the processes of one store. Losing them all costs up to the time that values are believed. */
  shareOver(bus: Bus): void {
    this.#publish = (tables) => {
      bus.publish(SUBJECT, tables.join(' '));
      return within(systemClock, PATIENCE_MS, bus.sent(), undefined);
    };
    bus.subscribe(SUBJECT, (hint) => this.#tell(hint.split(' ')));
  }

  /** The watched tables that a written statement changes. */
  ofWritten(strings: readonly string[]): readonly string[] {
    let tables = this.#written.get(strings);
    if (tables === undefined) {
      tables = this.#watchedIn(strings.join('?'));
      this.#written.set(strings, tables);
    }
    return tables;
  }

  /** The watched tables that a built statement changes. */
  ofBuilt(text: string): readonly string[] {
    let tables = this.#built.get(text);
    if (tables === undefined) {
      tables = this.#watchedIn(text);
      if (this.#built.size >= BUILT_TEXTS_KEPT) this.#built.clear();
      this.#built.set(text, tables);
    }
    return tables;
  }

  /**
   * Resolves when other nodes are being told. Whoever was answered after that finds the change at every node: the hint is on its
   * way there before the caller can be.
   */
  committed(tables: ReadonlySet<string>): Promise<void> | undefined {
    this.#tell([...tables]);
    return this.#publish?.([...tables]);
  }

  #tell(tables: readonly string[]): void {
    const told = new Set(tables.flatMap((table) => this.#listeners.get(table) ?? []));
    for (const changed of told) changed();
  }

  #watchedIn(text: string): readonly string[] {
    const found = [...text.matchAll(WRITES)].flatMap(([, table]) => (table === undefined ? [] : [table]));
    const watched = found.filter((table) => this.#listeners.has(table));
    return watched.length === 0 ? NONE : watched;
  }
}
