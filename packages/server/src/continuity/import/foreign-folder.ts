import { isObject } from '@parley/protocol/json';
import { decode } from '../capsule/load-capsule.ts';
import type { Tx } from '../../platform/database/database.ts';

/** `refused` with what is wrong; `unchanged` when exactly this is there already, `known` when something is that stays. */
export type ForeignOutcome =
  | { readonly kind: 'taken' | 'unchanged' | 'known' }
  | { readonly kind: 'refused'; readonly error: string };

export interface Taking {
  readonly ownerId: string;
  readonly peerId: string;
  readonly now: number;
  /** As it is, older or newer than what is there. */
  readonly raw: boolean;
  /** By a start of the server, which undoes nothing that agents wrote. */
  readonly once: boolean;
}

/** What another module keeps among the memory: where its documents lie, and how one is taken over. */
export interface ForeignFolder {
  /** Below the root of an export. */
  readonly folder: string;
  /** Any folder may have one of that name: it alone makes none a folder of memory. */
  readonly common?: boolean;
  holds(path: string): boolean;
  /** Others look there, or nobody does: nothing is told of it. */
  skips?(path: string): boolean;
  /** How a document is taken over, or what is wrong with it by itself. */
  read(path: string, bytes: Uint8Array): Take | string;
}

export type Take = (tx: Tx, of: Taking) => Promise<ForeignOutcome>;

/** A JSON object in a file, and the text it was written as. */
export function jsonDocument(
  bytes: Uint8Array,
): { text: string; value: Readonly<Record<string, unknown>> } | undefined {
  const decoded = decode(bytes);
  const text = Buffer.from(bytes).toString();
  if (!('value' in decoded) || !isObject(decoded.value) || text.includes('\0')) return undefined;
  return { text, value: decoded.value };
}
