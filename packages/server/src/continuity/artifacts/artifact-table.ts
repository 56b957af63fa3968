import type { ArtifactState, SubjectKind } from '@parley/protocol/continuity/vocabulary';
import { column, type RowOf, table } from '../../platform/database/table.ts';

/** The order of states in lists; by their numbers here they stand in the database. */
export const STATES: readonly ArtifactState[] = ['active', 'fallback', 'archived', 'cold'];
export const ACTIVE = 0;
export const FALLBACK = 1;
export const ARCHIVED = 2;
export const COLD = 3;

/** Names one artifact of an owner. `stamp` is the time in the name of an archive, empty for the others. */
const KEY = {
  state: column<number>(),
  kind: column<SubjectKind>(),
  slug: column<string>(),
  stamp: column<string>(),
};

/** What ages a capsule: when it was verified, how long that holds, and when it is over in any case. */
const AGEING = {
  verified_ms: column<number | null>(),
  stale_seconds: column<number | null>(),
  expires_ms: column<number | null>(),
};

/** What lists filter and sort by. */
const FACTS = {
  subject_id: column<string>(),
  readable: column<number>(),
  sha256: column<string | null>(),
  updated_key: column<string | null>(),
  summary: column<string | null>(),
  lifecycle_rank: column<number>(),
  health_rank: column<number>(),
  ...AGEING,
  resume_adequate: column<number>(),
  verification_rank: column<number>(),
  /** 0: unverified, 1: by the agent itself, 2: by others. */
  attestation: column<number>(),
  updated_ms: column<number | null>(),
  label: column<string | null>(),
  /** A JSON list, sorted. */
  terms: column<string>(),
};

/** Its bytes, or where they are. */
const CONTENT = {
  revision_id: column<number | null>(),
  /** Of an active capsule: whether it is its own fallback as well. */
  has_snapshot: column<number>(),
  document: column<string | null>(),
  raw: column<Uint8Array | null>(),
  stub: column<string | null>(),
  archived_ms: column<number | null>(),
};

const OWNED_KEY = { owner_id: column<string>(), ...KEY };
const COLUMNS = { ...OWNED_KEY, ...FACTS, ...CONTENT };

export const artifacts = table('continuity_artifacts', COLUMNS);

/** By which words of a capsule it is found. */
export const termTable = table('continuity_terms', { ...OWNED_KEY, term: column<string>() });

export type ArtifactRow = RowOf<typeof artifacts>;
export type ArtifactKey = Pick<ArtifactRow, keyof typeof KEY>;
export type Ageing = Pick<ArtifactRow, keyof typeof AGEING>;
export type ArtifactFacts = Pick<ArtifactRow, keyof typeof FACTS>;
export type ArtifactContent = Pick<ArtifactRow, keyof typeof CONTENT>;
