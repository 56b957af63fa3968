import type { Config } from '../config/settings.ts';
import { type Child, startChild } from './child-program.ts';

/** A node that is a program of its own, so that it can be killed and frozen. */
export interface NodeProcess {
  readonly url: string;
  readonly child: Child;
}

/** `clockOffMs`: how far the clock of its machine is ahead. */
export async function startNodeProcess(
  settings: Partial<Config> & { readonly clockOffMs?: number },
): Promise<NodeProcess> {
  const child = await startChild('serve-node', [JSON.stringify(settings)]);
  const line = await child.until((text) => text.includes('"listening"'));
  return { child, url: (JSON.parse(line) as { url: string }).url };
}

/** What a node has written of an event into its log. */
export const told = ({ child }: NodeProcess, event: string): Record<string, unknown>[] =>
  child.lines
    .filter((line) => line.includes(`"${event}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
