import type { Database, Tx } from '../platform/database/database.ts';
import { isStoreOpen, openStore } from './item-store.ts';

const MISSING: readonly string[] = ['schedule_db_missing'];
const NOTHING: readonly string[] = [];

/** The schedule of an owner comes into being when it is first used, and whoever did that is told so. */
export class OpenStores {
  readonly #database: Database;
  readonly #known = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** As part of a write: when that fails, the store is not there either. */
  async openIn(tx: Tx, ownerId: string, now: number): Promise<readonly string[]> {
    if (this.#known.has(ownerId)) return NOTHING;
    const made = await openStore(tx, ownerId, now);
    tx.afterCommit(() => this.#known.add(ownerId));
    return made ? MISSING : NOTHING;
  }

  async open(ownerId: string, now: number): Promise<readonly string[]> {
    if (this.#known.has(ownerId)) return NOTHING;
    if (await isStoreOpen(this.#database.read, ownerId)) {
      this.#known.add(ownerId);
      return NOTHING;
    }
    return await this.#database.write((tx) => this.openIn(tx, ownerId, now));
  }
}
