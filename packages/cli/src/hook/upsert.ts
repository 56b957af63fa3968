import { SNAPSHOT_FIELDS, type WriteEligible } from '@parley/protocol/continuity/hook-points';
import { isObject } from '@parley/protocol/json';
import { CliError, EXIT } from '../cli-error.ts';
import { changedFields, fitsSnapshot, type Loose, nestedIn, placeOf, type State } from './changes.ts';

export interface Subject {
  readonly subject_kind: string;
  readonly subject_id: string;
}

export interface PlannedWrite {
  readonly changed: readonly WriteEligible[];
  readonly mode: 'session_end_snapshot' | 'upsert';
  readonly body: Loose;
}

const TRANSITIONS: Readonly<Record<string, string>> = {
  suspended: 'suspend',
  active: 'resume',
  concluded: 'conclude',
  superseded: 'supersede',
};

const EMPTY: Loose = {
  top_priorities: [],
  active_concerns: [],
  active_constraints: [],
  open_loops: [],
  stance_summary: '',
  drift_signals: [],
};

/** What has to be written so that the stored capsule says what the state says; undefined when it does already. */
export function planWrite(
  subject: Subject,
  state: State,
  stored: Loose | undefined,
  { now, reason }: { now: string; reason: string },
): PlannedWrite | undefined {
  const changed = changedFields(state, stored);
  if (changed.length === 0) return undefined;
  const base = baseOf(subject, stored, now, reason);
  const continuity = isObject(base['continuity']) ? base['continuity'] : EMPTY;
  if (stored && fitsSnapshot(changed)) {
    const told = SNAPSHOT_FIELDS.filter((field) => REQUIRED.has(field) || changed.includes(field));
    const snapshot = Object.fromEntries(
      told.map((field) => [field, said(state, field) ?? continuity[field]]),
    );
    return {
      changed,
      mode: 'session_end_snapshot',
      body: { ...subject, capsule: base, session_end_snapshot: snapshot },
    };
  }
  return {
    changed,
    mode: 'upsert',
    body: {
      ...subject,
      capsule: withChanges(withDescriptor(base, state), state, changed),
      ...lifecycleOf(state, changed),
    },
  };
}

const REQUIRED: ReadonlySet<string> = new Set([
  'open_loops',
  'top_priorities',
  'active_constraints',
  'stance_summary',
]);

const said = (state: State, field: WriteEligible): unknown => state[field] ?? nestedIn(state, field);

function baseOf(subject: Subject, stored: Loose | undefined, now: string, reason: string): Loose {
  const source = { producer: 'parley-hook', update_reason: reason, inputs: [] };
  const metadata: { metadata?: Loose } =
    reason === 'interaction_boundary' ? { metadata: { interaction_boundary_kind: 'manual_checkpoint' } } : {};
  if (!stored) {
    return {
      ...subject,
      updated_at: now,
      verified_at: now,
      source,
      continuity: EMPTY,
      confidence: { continuity: 0.7, relationship_model: 0.5 },
      ...metadata,
    };
  }
  const { interaction_boundary_kind: _boundary, ...kept } = isObject(stored['metadata'])
    ? stored['metadata']
    : {};
  return {
    ...stored,
    updated_at: later(now, stored['updated_at']),
    verified_at: now,
    source,
    metadata: { ...kept, ...metadata.metadata },
  };
}

/** Two hooks may run within a second, or on machines whose clocks differ; a write has to be later than what is stored. */
function later(now: string, stored: unknown): string {
  const before = typeof stored === 'string' ? Date.parse(stored) : Number.NaN;
  return before >= Date.parse(now) ? new Date(before + 1).toISOString() : now;
}

/** The lifecycle is no field that is written: it changes by its transitions, for which there has to be a descriptor. */
function withDescriptor(base: Loose, state: State): Loose {
  if (!isObject(state['thread_descriptor'])) return base;
  const { lifecycle: _lifecycle, superseded_by: _heir, ...told } = state['thread_descriptor'];
  if (Object.keys(told).length === 0) return base;
  const known = isObject(base['thread_descriptor']) ? base['thread_descriptor'] : {};
  return { ...base, thread_descriptor: { ...known, ...told } };
}

function withChanges(base: Loose, state: State, changed: readonly WriteEligible[]): Loose {
  const written = changed.filter((field) => !field.startsWith('thread_descriptor.'));
  return written.reduce((capsule: Loose, field) => {
    const [holder, name] = placeOf(field);
    const value = said(state, field);
    if (holder === '') return { ...capsule, [name]: value };
    const part = isObject(capsule[holder]) ? capsule[holder] : {};
    return { ...capsule, [holder]: { ...part, [name]: value } };
  }, base);
}

/** Nothing can be sent that would say so: what took its place goes only with the state itself. */
function requireTransition(lifecycle: unknown): void {
  if (lifecycle !== undefined) return;
  throw new CliError('refused', 'parley: superseded_by cannot be taken away without a change of lifecycle', {
    exitCode: EXIT.misuse,
    hint: 'leave superseded_by out of the state, or say which lifecycle the thread has now',
  });
}

/** What the lifecycle does not know is sent as it is: the server says what is wrong with it. */
function lifecycleOf(state: State, changed: readonly WriteEligible[]): Loose {
  const lifecycle = changed.includes('thread_descriptor.lifecycle')
    ? said(state, 'thread_descriptor.lifecycle')
    : undefined;
  const heir = changed.includes('thread_descriptor.superseded_by')
    ? said(state, 'thread_descriptor.superseded_by')
    : undefined;
  if (heir === null || heir === '') requireTransition(lifecycle);
  return {
    ...(typeof lifecycle === 'string' && { lifecycle_transition: TRANSITIONS[lifecycle] ?? lifecycle }),
    ...(heir !== undefined && heir !== null && { superseded_by: heir }),
  };
}
