import { statSync } from 'node:fs';
import { resolve } from 'node:path';

/** A folder of memory, and whose it is; without a slug that is settled by what the folder holds. */
export interface ImportSource {
  readonly slug: string | undefined;
  readonly directory: string;
}

const WITH_SLUG = /^([a-z0-9][a-z0-9-]*)=(.+)$/s;

/** Reads the setting `memory_import`. Throws for a folder that is not there. */
export function importSources(given: readonly string[]): ImportSource[] {
  return given.map((item) => {
    const named = WITH_SLUG.exec(item);
    const directory = resolve(named?.[2] ?? item);
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
      throw new Error(`memory_import: the folder ${directory} does not exist`);
    }
    return { slug: named?.[1], directory };
  });
}
