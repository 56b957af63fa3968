import type { Capsule } from '@parley/protocol/continuity/capsule';
import * as limits from '@parley/protocol/continuity/limits';
import { TEXT_LISTS } from '@parley/protocol/continuity/capsule-fields';
import { BOUNDARY_KINDS, TOP_LEVEL_FOLDERS } from '@parley/protocol/continuity/vocabulary';
import { charsWithin } from '../../platform/chars.ts';
import { checkDescriptor } from '../capsule/descriptor.ts';
import {
  checkNegativeDecisions,
  checkPreferences,
  checkRationale,
  checkSupersession,
} from './entries-check.ts';
import { ECHOED_CHARS, type Report } from '../../wire/memory/errors.ts';
import { checkInstant } from '../capsule/instant.ts';
import { checkTexts } from './texts-check.ts';
import { relatedDocumentsFault } from './related-documents.ts';
import { TimeCheck } from './time-check.ts';
import { isThreadOrTask } from '../capsule/subject.ts';

/** Younger lists, named in full where a fault is told. */
const NAMED_IN_FULL: ReadonlySet<limits.StateList> = new Set([
  'session_trajectory',
  'trailing_notes',
  'curiosity_queue',
]);
const SCALARS = new Set(['string', 'boolean']);
const BOUNDARIES: ReadonlySet<unknown> = new Set(BOUNDARY_KINDS);

/**
 * Every rule that needs more than the schema, in the one order all writes share; the size is measured apart, on the
 * canonical bytes. `report` hears each fault. Entries blank after trimming are faults only once trimming has happened.
 */
export function checkCapsule(capsule: Capsule, report: Report): void {
  const { continuity, source } = capsule;
  const times = new TimeCheck(report);
  times.check(capsule.updated_at, 'updated_at');
  times.check(capsule.verified_at, 'verified_at');
  const expires = capsule.freshness?.expires_at;
  if (expires) checkInstant(expires, 'freshness.expires_at', report);
  checkTexts(source.inputs, 'source.inputs', limits.INPUTS, report);
  for (const name of TEXT_LISTS) {
    const path = NAMED_IN_FULL.has(name) ? `continuity.${name}` : name;
    checkTexts(continuity[name], path, limits.STATE_LISTS[name], report);
  }
  checkNegativeDecisions(continuity.negative_decisions, times, report);
  checkRationale(continuity.rationale_entries, times, report);
  if (!charsWithin(continuity.stance_summary, limits.STANCE_CHARS)) {
    report('continuity.stance_summary', 'Value too long in stance_summary');
  }
  checkSmallObjects(capsule, report);
  checkMetadata(capsule, report);
  checkPreferences(capsule, times, report);
  checkSupersession(continuity.rationale_entries, report);
  if (continuity.related_documents !== undefined) {
    const fault = relatedDocumentsFault(continuity.related_documents);
    if (fault !== undefined) report('continuity.related_documents', fault);
  }
  if (capsule.thread_descriptor) {
    if (!isThreadOrTask(capsule.subject_kind)) {
      report('thread_descriptor', 'thread_descriptor is only allowed for thread and task capsules');
    }
    checkDescriptor(capsule.thread_descriptor, report);
  }
}

function checkSmallObjects(capsule: Capsule, report: Report): void {
  const { relationship_model: model, retrieval_hints: hints } = capsule.continuity;
  if (model) {
    checkTexts(model.preferred_style, 'relationship_model.preferred_style', limits.PREFERRED_STYLE, report);
    checkTexts(
      model.sensitivity_notes,
      'relationship_model.sensitivity_notes',
      limits.SENSITIVITY_NOTES,
      report,
    );
  }
  const overrides = capsule.attention_policy?.presence_bias_overrides ?? [];
  checkTexts(overrides, 'attention_policy.presence_bias_overrides', limits.PRESENCE_BIAS, report);
  if (hints) {
    checkTexts(hints.must_include, 'retrieval_hints.must_include', limits.MUST_INCLUDE, report);
    checkTexts(hints.avoid, 'retrieval_hints.avoid', limits.AVOID, report);
    checkPaths(hints.load_next, 'retrieval_hints.load_next', report);
  }
  checkPaths(capsule.canonical_sources, 'canonical_sources', report);
}

function checkPaths(paths: readonly string[], field: string, report: Report): void {
  for (const path of paths) {
    const fault = repoPathFault(path, field);
    if (fault !== undefined) report(field, fault);
  }
}

function checkMetadata({ metadata, source }: Capsule, report: Report): void {
  const values = Object.values(metadata);
  if (values.length > limits.METADATA_KEYS) report('metadata', 'Too many metadata keys');
  for (const value of values) {
    if (!isScalar(value)) report('metadata', 'Metadata values must be scalar');
  }
  const path = 'metadata.interaction_boundary_kind';
  const kind = Object.hasOwn(metadata, BOUNDARY_KEY) ? (metadata[BOUNDARY_KEY] ?? null) : null;
  const atBoundary = source.update_reason === 'interaction_boundary';
  if (kind === null) {
    if (atBoundary) report(path, `${path} is required when source.update_reason=interaction_boundary`);
  } else if (!atBoundary) {
    report(path, `${path} requires source.update_reason=interaction_boundary`);
  } else if (!BOUNDARIES.has(kind)) {
    report(path, `Invalid ${path}`);
  }
}

const BOUNDARY_KEY = 'interaction_boundary_kind';

/** A number too large for JSON would come back as null. */
function isScalar(value: unknown): boolean {
  return value === null || SCALARS.has(typeof value) || (typeof value === 'number' && Number.isFinite(value));
}

const FORM = /^[A-Za-z0-9._/-]+$/;
const FOLDERS: ReadonlySet<string> = new Set(TOP_LEVEL_FOLDERS);

/** What is wrong with a path of `canonical_sources` or `load_next`; undefined when nothing is. */
function repoPathFault(path: string, field: string): string | undefined {
  const refusal = `Invalid repo-relative path in ${field}`;
  if (!FORM.test(path)) return refusal;
  if (path.startsWith('/')) return `${refusal}: Path must be a non-empty relative path`;
  const segments = path.split('/').filter((segment) => segment !== '.' && segment !== '');
  const [first] = segments;
  if (first === undefined) return `${refusal}: Path must be a non-empty relative path`;
  if (!FOLDERS.has(first)) return `${refusal}: Top-level path not allowed: ${first.slice(0, ECHOED_CHARS)}`;
  return staysInside(segments) ? undefined : `${refusal}: Path escapes repository root`;
}

function staysInside(segments: readonly string[]): boolean {
  let depth = 0;
  for (const segment of segments) {
    depth += segment === '..' ? -1 : 1;
    if (depth < 0) return false;
  }
  return true;
}
