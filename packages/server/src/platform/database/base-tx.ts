import { BaseReader } from './base-reader.ts';
import type { Dialect, SqlQuery, Tx } from './database.ts';
import { TransactionEndedError, TransactionFailedError } from './errors.ts';
import type { TableChanges } from './table-changes.ts';

const NONE: readonly never[] = [];

/** What a write gathers on its way, and whether its transaction may still be used. */
export abstract class BaseTx extends BaseReader implements Tx {
  protected readonly changes: TableChanges;
  protected ended = false;
  protected failed = false;
  protected failure: unknown;
  // Most writes have few of these, so each is made when it is needed.
  #wrote: Set<string> | undefined;
  #hooks: (() => void)[] | undefined;
  #steps: (() => Promise<void>)[] | undefined;

  constructor(dialect: Dialect, changes: TableChanges) {
    super(dialect);
    this.changes = changes;
  }

  abstract run(query: SqlQuery): Promise<number>;
  abstract lock(name: string, waitMs?: number): Promise<void>;
  abstract takeTime(): Promise<void>;

  async affects(query: SqlQuery): Promise<boolean> {
    return (await this.run(query)) > 0;
  }

  beforeCommit(step: () => Promise<void>): void {
    this.assertUsable();
    this.#steps ??= [];
    this.#steps.push(step);
  }

  afterCommit(hook: () => void): void {
    this.assertUsable();
    this.#hooks ??= [];
    this.#hooks.push(hook);
  }

  /** The watched tables it wrote to. */
  get wrote(): ReadonlySet<string> | undefined {
    return this.#wrote;
  }

  /** What is to be done once the write function is through. */
  get lastSteps(): readonly (() => Promise<void>)[] {
    return this.#steps ?? NONE;
  }

  protected get hooks(): readonly (() => void)[] {
    return this.#hooks ?? NONE;
  }

  protected note(tables: readonly string[]): void {
    for (const table of tables) (this.#wrote ??= new Set()).add(table);
  }

  protected assertUsable(): void {
    if (this.ended) throw new TransactionEndedError();
    if (this.failed) throw new TransactionFailedError(this.failure);
  }
}
