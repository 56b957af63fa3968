import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { DeliverySettings } from '../settings.ts';

/** A label that is safe as a file name; others have no heartbeat file. */
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/**
 * Heartbeats as file times: monitors on the same machine touch `<dir>/<agent id>/<label>.heartbeat`. The folder comes from
 * the operator alone; what clients name never becomes more of a path than one file name. Says when the file was last touched.
 * Synchronous: it is asked inside transactions, which wait for nothing else.
 */
export function fileBeatAt(
  { heartbeatDir: directory, spellAgent }: DeliverySettings,
  suffix: string,
  label: string,
): number | null {
  if (directory === undefined || !FILE_NAME.test(label)) return null;
  const file = join(directory, spellAgent(suffix), `${label}.heartbeat`);
  try {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
  } catch {
    // A folder that cannot be read tells nothing about the session.
    return null;
  }
}
