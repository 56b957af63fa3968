import type { Handoff, Reconciliation, SharedState } from '@parley/protocol/coordination/artifacts';
import type { Random } from '../platform/ids.ts';

/** What peers exchange, by kind. */
export interface Artifacts {
  readonly handoff: Handoff;
  readonly shared: SharedState;
  readonly reconciliation: Reconciliation;
}

export type ArtifactKind = keyof Artifacts;

export const FOLDER = 'memory/coordination';

interface Names {
  readonly prefix: string;
  readonly folder: string;
  /** In answers: one of them, and a list. */
  readonly noun: string;
  readonly list: string;
}

export const KINDS: Readonly<Record<ArtifactKind, Names>> = {
  handoff: { prefix: 'handoff_', folder: `${FOLDER}/handoffs`, noun: 'Handoff', list: 'handoffs' },
  shared: {
    prefix: 'shared_',
    folder: `${FOLDER}/shared`,
    noun: 'Shared coordination artifact',
    list: 'shared_artifacts',
  },
  reconciliation: {
    prefix: 'recon_',
    folder: `${FOLDER}/reconciliations`,
    noun: 'Reconciliation',
    list: 'reconciliations',
  },
};

const HEX = /^[0-9a-f]{32}$/;
const ID_BYTES = 16;

export const newArtifactId = (kind: ArtifactKind, random: Random): string =>
  `${KINDS[kind].prefix}${random.hex(ID_BYTES)}`;

export function isId(kind: ArtifactKind, id: string): boolean {
  const { prefix } = KINDS[kind];
  return id.startsWith(prefix) && HEX.test(id.slice(prefix.length));
}

/** Where it stands among an owner's memory, though it is a row. */
export const pathOf = (kind: ArtifactKind, id: string): string => `${KINDS[kind].folder}/${id}.json`;

/** Whose path it is; undefined when it is no artifact's. */
export function idAt(path: string): { readonly kind: ArtifactKind; readonly id: string } | undefined {
  for (const kind of ['handoff', 'shared', 'reconciliation'] as const) {
    const id = path.slice(KINDS[kind].folder.length + 1, -'.json'.length);
    if (isId(kind, id) && path === pathOf(kind, id)) return { kind, id };
  }
  return undefined;
}
