import type { Capsule } from '@parley/protocol/continuity/capsule';
import { isObject } from '@parley/protocol/json';
import { contentOf } from '../artifacts/artifact-store.ts';
import type { RevisionContent } from '../artifacts/revision-store.ts';
import { canonicalCapsule, canonicalJson } from './canonical.ts';
import { isDeep } from './depth.ts';
import { EPOCH, instantOrUndefined } from './instant.ts';
import { upgradeStored } from './legacy-upgrade.ts';
import { capsuleOf, decode, isLoaded, loadCapsule, type LoadedCapsule } from './load-capsule.ts';
import { activePath } from '../artifacts/paths.ts';
import { slugOf } from './subject.ts';

const FALLBACK_TYPE = 'continuity_fallback_snapshot';
const ARCHIVE_TYPE = 'continuity_archive_envelope';
const VERSION = '1.1';
const VERSIONS: ReadonlySet<unknown> = new Set(['1.0', VERSION]);

/**
 * The fallback snapshot of a capsule, as it would lie under its path. Dated by the capsule, so that an unchanged capsule yields an
 * unchanged snapshot.
 */
export function fallbackText(capsule: Capsule): string {
  const dated = [capsule.updated_at, capsule.verified_at].find(
    (text) => instantOrUndefined(text) !== undefined,
  );
  const rest = canonicalJson({
    schema_type: FALLBACK_TYPE,
    schema_version: VERSION,
    captured_at: dated ?? EPOCH,
    source_path: activePath({ kind: capsule.subject_kind, slug: slugOf(capsule.subject_id) }),
    verification_status: capsule.verification_state?.status ?? 'unverified',
    health_status: capsule.capsule_health?.status ?? 'healthy',
  });
  // Keys stay in order: `capsule` is the first of them.
  return `{"capsule":${canonicalCapsule(capsule)},${rest.slice(1)}`;
}

/** The same of a stored capsule; undefined for what is none. */
export function storedFallbackText(row: RevisionContent): string | undefined {
  const loaded = loadCapsule(contentOf(row));
  return isLoaded(loaded) ? fallbackText(loaded.capsule) : undefined;
}

export interface ArchiveEnvelope {
  readonly archivedAt: string;
  readonly archivedBy: string;
  readonly reason: string;
  readonly activePath: string;
  readonly loaded: LoadedCapsule;
  /** Whether the document is of an older make. */
  readonly legacy: boolean;
}

/** The exact bytes of an archive. */
export function archiveText(envelope: Omit<ArchiveEnvelope, 'loaded' | 'legacy'>, canonical: string): string {
  const { archivedAt, archivedBy, reason, activePath: path } = envelope;
  const head = canonicalJson({ active_path: path, archived_at: archivedAt, archived_by: archivedBy });
  const tail = canonicalJson({ reason, schema_type: ARCHIVE_TYPE, schema_version: VERSION });
  // Keys stay in order: active_path, archived_at, archived_by, capsule, reason, schema_type, schema_version.
  return `${head.slice(0, -1)},"capsule":${canonical},${tail.slice(1)}`;
}

/** The capsule of a snapshot document, or why it is none. */
export function fallbackCapsule(document: string | Uint8Array): LoadedCapsule | string {
  const opened = open(document, FALLBACK_TYPE, 'fallback snapshot');
  return typeof opened === 'string' ? opened : opened.loaded;
}

/** An archive document, or why it is none. */
export function openArchive(document: string | Uint8Array): ArchiveEnvelope | string {
  const opened = open(document, ARCHIVE_TYPE, 'archive envelope');
  if (typeof opened === 'string') return opened;
  const { value, loaded } = opened;
  const archivedAt = typeof value.archived_at === 'string' ? value.archived_at : '';
  if (instantOrUndefined(archivedAt) === undefined) return 'Invalid continuity archive envelope archived_at';
  const text = (key: string): string => (typeof value[key] === 'string' ? value[key] : '');
  return {
    archivedAt,
    archivedBy: text('archived_by'),
    reason: text('reason'),
    activePath: text('active_path'),
    loaded,
    legacy: value.schema_version !== VERSION || isOlder(value.capsule),
  };
}

/** The capsule in a document of a state; undefined where nobody can read one. */
export function capsuleIn(
  state: 'active' | 'fallback' | 'archived',
  document: string | Uint8Array,
): LoadedCapsule | undefined {
  if (state === 'archived') {
    const envelope = openArchive(document);
    return typeof envelope === 'string' ? undefined : envelope.loaded;
  }
  const loaded = state === 'active' ? loadCapsule(document) : fallbackCapsule(document);
  return typeof loaded === 'string' || !isLoaded(loaded) ? undefined : loaded;
}

/** A field left out that has a default says nothing about the make of a capsule. */
function isOlder(capsule: unknown): boolean {
  const upgraded = isObject(capsule) ? upgradeStored(capsule) : undefined;
  return canonicalJson(upgraded) !== canonicalJson(capsule);
}

interface Opened {
  readonly value: Readonly<Record<string, unknown>>;
  readonly loaded: LoadedCapsule;
}

function open(document: string | Uint8Array, type: string, name: string): Opened | string {
  const decoded = decode(document);
  if (!('value' in decoded)) return `Invalid continuity ${name} JSON: ${decoded.reason}`;
  const { value } = decoded;
  if (!isObject(value)) return `Invalid continuity ${name} JSON: not an object`;
  if (value.schema_type !== type) return `Invalid continuity ${name} schema_type`;
  if (!VERSIONS.has(value.schema_version)) return `Invalid continuity ${name} schema_version`;
  if (isDeep(value.capsule)) return `Invalid continuity ${name} capsule: nested too deeply`;
  const loaded = capsuleOf(value.capsule);
  return isLoaded(loaded) ? { value, loaded } : `Invalid continuity ${name} capsule: ${loaded.reason}`;
}
