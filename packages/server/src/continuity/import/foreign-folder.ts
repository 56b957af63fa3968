import type { Tx } from '../../platform/database/database.ts';

/** `refused` with what is wrong; `unchanged` when exactly this is there already. */
export type ForeignOutcome =
  | { readonly kind: 'taken' | 'unchanged' }
  | { readonly kind: 'refused'; readonly error: string };

/** What another module keeps among the memory: where its documents lie, and how one is taken over. */
export interface ForeignFolder {
  /** Below the root of an export. */
  readonly folder: string;
  holds(path: string): boolean;
  /** What is wrong with it by itself; undefined when nothing is. */
  fault(path: string, bytes: Uint8Array): string | undefined;
  take(
    tx: Tx,
    ownerId: string,
    document: { readonly path: string; readonly bytes: Uint8Array },
    of: { readonly peerId: string; readonly now: number; readonly raw: boolean },
  ): Promise<ForeignOutcome>;
}

/** A JSON object in a file, and the text it was written as. */
export function jsonDocument(
  bytes: Uint8Array,
): { text: string; value: Readonly<Record<string, unknown>> } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value) || text.includes('\0'))
      return undefined;
    return { text, value: value as Record<string, unknown> };
  } catch {
    return undefined;
  }
}
