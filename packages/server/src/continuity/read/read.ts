import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { ReadRequest } from '@parley/protocol/continuity/requests';
import type { SourceState } from '@parley/protocol/continuity/vocabulary';
import type { Caller } from '../../wire/caller.ts';
import { readableSubject, requireRead } from '../access.ts';
import { aliasNotices, attempted, withNotices } from '../answers.ts';
import { archiveStamps } from '../artifacts/artifact-store.ts';
import type { OperationCall } from '../call.ts';
import type { MemoryContext } from '../memory-context.ts';
import { badRequest } from '../../wire/memory/errors.ts';
import { archivePath, fallbackPath } from '../artifacts/paths.ts';
import type { ReadMarks } from './read-marks.ts';
import { requireRevision } from './references.ts';
import type { StartupSections } from './startup-sections.ts';
import type { startupSummary } from './startup-summary.ts';
import { supersededWarnings } from '../capsule/lifecycle.ts';
import { findActive, findFallback, requirePresent } from '../artifacts/stored-capsule.ts';
import type { Subject } from '../capsule/subject.ts';
import { trustSignals } from './trust-signals.ts';

export interface ReadParts {
  readonly memory: MemoryContext;
  readonly marks: ReadMarks;
  readonly sections: StartupSections;
  readonly summary: typeof startupSummary;
  /** Told why a view of a capsule is missing from an answer. */
  readonly onViewError: (error: unknown) => void;
}

interface Resolved {
  readonly capsule: Capsule | null;
  readonly source: SourceState;
  readonly warnings: readonly string[];
}

/** A capsule with what may be thought of it, and on request what to carry on from. */
export async function read(parts: ReadParts, { caller, body }: OperationCall<ReadRequest>): Promise<object> {
  const { memory, marks, onViewError } = parts;
  const { subject, path } = readableSubject(caller, body);
  const now = memory.clock.now();
  const resolved =
    body.revision == null
      ? await resolve(memory, caller, subject, body.allow_fallback)
      : {
          ...(await requireRevision(memory.database.read, caller, subject, body.revision)),
          source: 'active' as const,
        };
  const { capsule, source } = resolved;
  const trust = attempted(onViewError, 'trust_signals_build_failed', () =>
    capsule && source !== 'missing' ? trustSignals(capsule, source, now) : null,
  );
  const warnings = [...resolved.warnings, ...trust.warnings, ...(capsule ? supersededWarnings(capsule) : [])];
  const summary =
    body.view === 'startup'
      ? attempted(onViewError, 'startup_summary_build_failed', () =>
          parts.summary(capsule, source, warnings, trust.made),
        )
      : undefined;
  marks.noteRead(caller.ownerId, subject, now);
  memory.audit(caller, 'read', { path, source_state: source });
  const answer = {
    ok: true,
    path,
    capsule,
    archived: false,
    source_state: source,
    recovery_warnings: [...warnings, ...(summary?.warnings ?? [])],
    trust_signals: trust.made,
    ...(summary && { startup_summary: summary.made, ...(await parts.sections.of(caller, subject)) }),
  };
  return withNotices(answer, await readNotices(memory, caller, subject, body, resolved));
}

/** The active capsule; where that fails and the caller allows it, the snapshot. */
async function resolve(
  memory: MemoryContext,
  caller: Caller,
  subject: Subject,
  allowFallback: boolean,
): Promise<Resolved> {
  const reader = memory.database.read;
  const active = await findActive(reader, caller.ownerId, subject);
  if (active.kind === 'present') {
    const { capsule, warnings } = active.loaded;
    return { capsule, source: 'active', warnings };
  }
  if (!allowFallback || active.kind === 'foreign') {
    requirePresent(active);
    throw badRequest('Invalid continuity capsule');
  }
  const warning = active.kind === 'missing' ? 'continuity_active_missing' : 'continuity_active_invalid';
  requireRead(caller, fallbackPath(subject));
  const fallback = await findFallback(reader, caller.ownerId, subject);
  if (!fallback) {
    return { capsule: null, source: 'missing', warnings: [warning, 'continuity_fallback_missing'] };
  }
  return {
    capsule: fallback.capsule,
    source: 'fallback',
    warnings: [warning, 'continuity_fallback_used', ...fallback.warnings],
  };
}

/** The snapshot goes on answering after an archival: the agent should know. */
async function readNotices(
  memory: MemoryContext,
  caller: Caller,
  subject: Subject,
  body: ReadRequest,
  { capsule, source }: Resolved,
): Promise<string[]> {
  const notices: string[] = [];
  if (source === 'fallback') {
    const newest = (await archiveStamps(memory.database.read, caller.ownerId, subject)).at(-1);
    if (newest !== undefined) notices.push(`continuity_archived:${archivePath(subject, newest)}`);
  }
  if (capsule) notices.push(...aliasNotices(capsule.subject_id, body.subject_id));
  return notices;
}
