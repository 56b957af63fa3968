import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../config/load.ts';
import type { Cluster } from '../../platform/cluster/join-cluster.ts';
import { alone, type Hold } from '../../platform/cluster/singleton.ts';
import type { Tx } from '../../platform/database/database.ts';
import { errorFields } from '../../platform/log.ts';
import type { Platform } from '../../platform.ts';
import type { ForeignFolder } from './foreign-folder.ts';
import { importFolder } from './import.ts';
import { lookInto } from './import-folder.ts';
import type { ImportSource } from '../../config/import-sources.ts';
import { importedInto } from './import-store.ts';

export interface OwnerRef {
  readonly id: string;
  readonly slug: string;
}

export interface BootImportOptions extends Pick<Platform, 'database' | 'clock' | 'events' | 'log'> {
  readonly cluster: Pick<Cluster, 'node' | 'isAlone'>;
  /** What other modules keep among the memory. */
  readonly others: readonly ForeignFolder[];
  readonly sources: readonly ImportSource[];
  readonly ownerBySlug: (slug: string) => Promise<string | undefined>;
  /** Whether anyone who reaches the server may be the owner that is waited for. */
  readonly openToAll: boolean;
  readonly oldestOwners: (limit: number) => Promise<readonly OwnerRef[]>;
}

/**
 * Takes over the folders of the setting `memory_import`, as they are. Those of owners who do not exist yet wait for
 * them. What was taken over once is not taken again, so that a restart does not undo what agents wrote since.
 */
export class BootImport {
  readonly #options: BootImportOptions;
  /** By folder; those for nobody in particular are for the first owner there is. */
  readonly #waiting = new Map<string, ImportSource>();
  #all: readonly ImportSource[] = [];
  #hold: Hold | undefined;

  constructor(options: BootImportOptions) {
    this.#options = options;
  }

  /** One node after the other: the second finds what the first took over. */
  async start(): Promise<void> {
    if (this.#options.sources.length === 0) return;
    await alone('memory import', this.#options, async (hold) => {
      this.#hold = hold;
      await this.#takeAll().finally(() => (this.#hold = undefined));
    });
  }

  async #takeAll(): Promise<void> {
    const all: ImportSource[] = [];
    for (const source of this.#options.sources) all.push(...(await this.#expand(source)));
    this.#all = all;
    for (const { slug, directory } of all) {
      if (slug === undefined) await this.#forAnyone(directory);
      else await this.#forOwner(slug, directory);
    }
  }

  /** To be awaited before the new owner hears that it exists. */
  async ownerCreated(owner: OwnerRef): Promise<void> {
    for (const [key, { slug, directory }] of this.#waiting) {
      if (slug !== undefined && slug !== owner.slug) continue;
      const isFor = await this.#isFor(owner, { slug, directory });
      // Taken out before anything else is awaited: of two owners who come at once, one gets it.
      if (isFor && this.#waiting.delete(key)) await this.#take(owner, directory);
    }
  }

  /** Asked of the store: on another server that uses it somebody may have been first, or have had the name. */
  async #isFor(owner: OwnerRef, { slug, directory }: ImportSource): Promise<boolean> {
    const { database, log, oldestOwners } = this.#options;
    try {
      if (slug !== undefined) return !(await this.#isAnothers(owner.id, directory));
      const [oldest] = await oldestOwners(1);
      return oldest?.id === owner.id && (await importedInto(database.read, directory)).length === 0;
    } catch (error) {
      // The owner is registered, and must hear of it.
      log.error('memory_import_failed', { owner: owner.slug, directory, ...errorFields(error) });
      return false;
    }
  }

  /** A folder without memory of its own holds folders by the names of owners, whatever those are called. */
  async #expand(source: ImportSource): Promise<ImportSource[]> {
    const { slug, directory } = source;
    const { log, others } = this.#options;
    const certain = others.filter(({ common }) => !common);
    if (slug !== undefined || (await lookInto(directory, certain))) return [source];
    const owners = await this.#ownersIn(directory, certain);
    if (owners.length > 0) return owners;
    if (await lookInto(directory, others)) return [source];
    const found = await this.#ownersIn(directory, others);
    if (found.length === 0) log.warn('memory_import_empty', { directory });
    return found;
  }

  async #ownersIn(directory: string, others: readonly ForeignFolder[]): Promise<ImportSource[]> {
    const found: ImportSource[] = [];
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      const inner = join(directory, entry.name);
      if (entry.isDirectory() && (await lookInto(inner, others))) {
        found.push({ slug: entry.name, directory: inner });
      }
    }
    return found.toSorted((a, b) => (a.directory < b.directory ? -1 : 1));
  }

  async #forOwner(slug: string, directory: string): Promise<void> {
    const { log, ownerBySlug } = this.#options;
    const id = await ownerBySlug(slug);
    if (await this.#isAnothers(id, directory)) {
      log.warn('memory_import_owner_gone', { owner: slug, directory });
    } else if (id === undefined) this.#wait({ slug, directory });
    else await this.#take({ id, slug }, directory);
  }

  /** Whoever takes a name that somebody gave up, now or long ago, must not be handed that one's memory. */
  async #isAnothers(id: string | undefined, directory: string): Promise<boolean> {
    const { database, ownerBySlug } = this.#options;
    const before = await importedInto(database.read, directory);
    if (before.length === 0 || (id !== undefined && before.includes(id))) return false;
    const named = new Set<string | undefined>();
    for (const other of this.#all) {
      if (other.directory === directory && other.slug !== undefined) named.add(await ownerBySlug(other.slug));
    }
    return before.some((owner) => !named.has(owner));
  }

  async #forAnyone(directory: string): Promise<void> {
    const { database, oldestOwners } = this.#options;
    const owners = await oldestOwners(2);
    const [only, another] = owners;
    if (!only) return this.#wait({ slug: undefined, directory });
    if (!another) return await this.#take(only, directory);
    const [before, other] = await importedInto(database.read, directory);
    if (before === undefined || other !== undefined) {
      throw new ConfigError(
        `memory_import: there are several owners; say whose memory is in ${directory}, as SLUG=${directory}`,
      );
    }
    await this.#take({ id: before, slug: owners.find(({ id }) => id === before)?.slug ?? before }, directory);
  }

  #wait(source: ImportSource): void {
    this.#waiting.set(source.directory + (source.slug ?? ''), source);
    const { log, openToAll } = this.#options;
    const fields = { owner: source.slug ?? 'the first to register', directory: source.directory };
    if (!openToAll) log.info('memory_import_waiting', fields);
    else
      log.warn('memory_import_waiting', {
        ...fields,
        risk: 'registration is open: anyone may be this owner',
      });
  }

  async #take(owner: OwnerRef, directory: string): Promise<void> {
    const { log } = this.#options;
    const hold = this.#hold;
    try {
      const report = await importFolder({
        ...this.#options,
        directory,
        ownerId: owner.id,
        peerId: 'self',
        raw: true,
        once: true,
        ...(hold && { guard: (tx: Tx) => hold.check(tx) }),
      });
      if (!report) return log.warn('memory_import_empty', { owner: owner.slug, directory });
      const { imported, unknown, refused, ...counts } = report;
      const fields = { owner: owner.slug, directory, imported: imported.length, ...counts };
      log.info('memory_imported', { ...fields, unknown: unknown.slice(0, SHOWN) });
      if (refused.length > 0)
        log.error('memory_import_refused', { ...fields, refused: refused.slice(0, SHOWN) });
    } catch (error) {
      log.error('memory_import_failed', { owner: owner.slug, directory, ...errorFields(error) });
    }
  }
}

/** Names told in a log line. */
const SHOWN = 20;
