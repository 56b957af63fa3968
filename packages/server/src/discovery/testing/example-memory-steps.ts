import type { Earlier, Step } from './example-run.ts';

const nothing = () => ({});
const SUBJECT = { subject_kind: 'thread', subject_id: 'tide-cache' };

const capsule = (at: string) => ({
  ...SUBJECT,
  updated_at: at,
  verified_at: at,
  source: { producer: 'harbour-bot', update_reason: 'manual' },
  continuity: {
    top_priorities: ['Cache the tables of Lisbon'],
    active_concerns: [],
    active_constraints: ['No new dependencies'],
    open_loops: ['Ask for the licence of the tables'],
    stance_summary: 'Small steps; measure before and after.',
    drift_signals: [],
  },
  confidence: { continuity: 0.9, relationship_model: 0.5 },
  thread_descriptor: { label: 'Tide cache' },
});
const signal = {
  kind: 'self_review',
  source_ref: 'journal/2026-01-01.md',
  observed_at: '2026-01-01T00:00:00Z',
  summary: 'Read again and found true.',
};

const CAPSULES: readonly Step[] = [
  ['continuity.upsert', () => ({ body: { ...SUBJECT, capsule: capsule('2025-12-30T00:00:00Z') } })],
  [
    'continuity.patch',
    () => ({
      body: {
        ...SUBJECT,
        updated_at: '2025-12-30T01:00:00Z',
        operations: [{ target: 'continuity.open_loops', action: 'append', value: 'Measure the hit rate' }],
      },
    }),
  ],
  ['continuity.read', () => ({ body: { ...SUBJECT, view: 'startup', allow_fallback: true } })],
  [
    'continuity.compare',
    () => ({ body: { ...SUBJECT, candidate_capsule: capsule('2025-12-30T02:00:00Z'), signals: [signal] } }),
  ],
  ['continuity.revalidate', () => ({ body: { ...SUBJECT, outcome: 'confirm', signals: [signal] } })],
  ['continuity.list', () => ({ body: { subject_kind: 'thread' } })],
  ['continuity.search', () => ({ body: { query: 'tables' } })],
  ['continuity.history', () => ({ body: { ...SUBJECT, limit: 5 } })],
  ['continuity.diff', () => ({ body: { ...SUBJECT, from: 1, to: 2 } })],
  ['continuity.refresh_plan', () => ({ body: {} })],
  ['continuity.retention_plan', () => ({ body: {} })],
  [
    'continuity.restore',
    () => ({
      body: { ...SUBJECT, from: 1, updated_at: '2026-01-01T00:00:00Z', reason: 'The patch was wrong.' },
    }),
  ],
];

const KNOWLEDGE: readonly Step[] = [
  [
    'documents.write',
    () => ({ body: { path: 'projects/tides.md', content: '# Tides\n\nTables of Lisbon.' } }),
  ],
  ['documents.read', () => ({ query: { path: 'projects/tides.md' } })],
  ['documents.append', () => ({ body: { path: 'journal/tides.jsonl', record: { note: 'began' } } })],
  ['documents.search', () => ({ body: { query: 'tables' } })],
  ['documents.recent', () => ({ body: { limit: 5 } })],
  ['tasks.create', () => ({ body: { task_id: 'tables', title: 'Fetch the tables', owner_peer: 'self' } })],
  ['tasks.update', () => ({ path: ['tables'], body: { status: 'in_progress' } })],
  ['tasks.query', () => ({ query: { status: 'in_progress' } })],
  ['index.rebuild', nothing],
  ['index.rebuild_incremental', nothing],
  ['index.status', nothing],
  ['context.retrieve', () => ({ body: { task: 'Cache the tables', ...SUBJECT } })],
];

const item = (of: Earlier) => ({ path: [of('schedule.create', 'item', 'schedule_id')] });

const SCHEDULE: readonly Step[] = [
  [
    'schedule.create',
    () => ({
      body: { kind: 'reminder', title: 'Look at the hit rate', due_at: '2030-01-01T00:00:00Z', ...SUBJECT },
    }),
  ],
  ['schedule.list', () => ({ query: { status: 'pending', limit: '10' } })],
  ['schedule.get', item],
  ['schedule.update', (of) => ({ ...item(of), body: { expected_version: 1, note: 'Of the last week.' } })],
  ['schedule.acknowledge', (of) => ({ ...item(of), body: { expected_version: 2, status: 'done' } })],
  ['schedule.retire', (of) => ({ ...item(of), body: { expected_version: 3 } })],
];

const shared = (of: Earlier) => ({ path: [of('coordination.shared_create', 'shared', 'shared_id')] });
const handoff = (of: Earlier) => of('coordination.handoff_create', 'handoff', 'handoff_id');
const dispute = (of: Earlier) => [
  of('coordination.reconciliation_open', 'reconciliation', 'reconciliation_id'),
];

const COORDINATION: readonly Step[] = [
  [
    'coordination.handoff_create',
    () => ({ body: { recipient_peer: 'night-shift', ...SUBJECT, note: 'Yours now.' } }),
  ],
  ['coordination.handoff_read', (of) => ({ path: [handoff(of)] })],
  [
    'coordination.handoff_consume',
    (of) => ({ path: [handoff(of)], body: { status: 'accepted_advisory' }, as: 'night-shift' }),
  ],
  ['coordination.handoffs_query', () => ({ query: { sender_peer: 'self' } })],
  [
    'coordination.shared_create',
    () => ({
      body: { participant_peers: ['night-shift'], title: 'Tide cache', constraints: ['Keep it small'] },
    }),
  ],
  ['coordination.shared_read', shared],
  ['coordination.shared_query', () => ({ query: { owner_peer: 'self' } })],
  [
    'coordination.shared_update',
    (of) => ({
      ...shared(of),
      body: { expected_version: 1, title: 'Tide cache', constraints: ['Keep it tiny'] },
    }),
  ],
  [
    'coordination.reconciliation_open',
    (of) => ({
      body: {
        thread_id: 'tide-cache',
        title: 'How large may it be?',
        classification: 'contradictory',
        trigger: 'handoff_vs_shared',
        claims: [
          {
            source_kind: 'shared',
            source_id: of('coordination.shared_create', 'shared', 'shared_id'),
            claimant_peer: 'self',
            claim_summary: 'Tiny.',
            epistemic_status: 'frame_present',
            observed_version: 2,
          },
          {
            source_kind: 'handoff',
            source_id: handoff(of),
            claimant_peer: 'self',
            claim_summary: 'Without new dependencies.',
            epistemic_status: 'frame_present',
          },
        ],
      },
    }),
  ],
  ['coordination.reconciliation_read', (of) => ({ path: dispute(of) })],
  ['coordination.reconciliations_query', () => ({ query: { status: 'open', owner_peer: 'self' } })],
  [
    'coordination.reconciliation_resolve',
    (of) => ({
      path: dispute(of),
      body: { expected_version: 1, resolution_outcome: 'advisory_only', resolution_summary: 'Both hold.' },
    }),
  ],
  ['peers.register', () => ({ body: { peer_id: 'lisbon', base_url: 'https://parley.example.org' } })],
  ['peers.trust', () => ({ path: ['lisbon'], body: { trust_level: 'restricted', reason: 'Met once.' } })],
  ['peers.list', nothing],
  [
    'continuity.lifecycle',
    () => ({ body: { ...SUBJECT, transition: 'conclude', updated_at: '2026-01-01T00:00:01Z' } }),
  ],
  ['continuity.archive', () => ({ body: { ...SUBJECT, reason: 'Done.' } })],
  ['continuity.delete', () => ({ body: { ...SUBJECT, delete_fallback: true, reason: 'Not needed.' } })],
];

/** What ends something comes last. */
const ENDINGS: readonly Step[] = [
  ['agent_rename', () => ({ path: ['night-shift'], body: { slug: 'late-shift' } })],
  ['agent_delete', () => ({ path: ['late-shift'] })],
  ['agent_key_rotate', () => ({ as: 'tide-watcher' })],
  [
    'agent_session_end',
    (of) => ({ headers: { authorization: `Bearer ${of('agent_login', 'session_token')}` } }),
  ],
  ['agent_sessions_end', () => ({ as: 'harbour-bot' })],
  ['key_regenerate', () => ({ headers: { 'x-confirm-destructive': 'true' } })],
];

export const MEMORY_STEPS: readonly Step[] = [
  ...CAPSULES,
  ...KNOWLEDGE,
  ...SCHEDULE,
  ...COORDINATION,
  ...ENDINGS,
];
