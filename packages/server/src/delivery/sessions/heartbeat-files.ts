import { statSync } from 'node:fs';
import { join } from 'node:path';

/** A label that is safe as a file name; others have no heartbeat file. */
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/**
 * Heartbeats as file times: monitors on the same machine touch `<dir>/<agent id>/<label>.heartbeat`. The folder comes from
 * the operator alone; what clients name never becomes more of a path than one file name.
 */
export class HeartbeatFiles {
  readonly #directory: string | undefined;
  readonly #spell: (suffix: string) => string;

  constructor(directory: string | undefined, spell: (suffix: string) => string) {
    this.#directory = directory;
    this.#spell = spell;
  }

  /** When the file was last touched. Synchronous: it is asked inside transactions, which wait for nothing else. */
  beatAt(suffix: string, label: string): number | null {
    if (this.#directory === undefined || !FILE_NAME.test(label)) return null;
    const file = join(this.#directory, this.#spell(suffix), `${label}.heartbeat`);
    try {
      return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
    } catch {
      // A folder that cannot be read tells nothing about the session.
      return null;
    }
  }
}
