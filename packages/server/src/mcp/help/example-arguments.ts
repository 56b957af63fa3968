import { inputSchema } from '@parley/protocol/tools/input-schema';
import type { ToolDeclaration } from '@parley/protocol/tools/tool';

const AT = '2026-01-31T12:00:00Z';
const SUBJECT = { subject_kind: 'thread', subject_id: 'my-project' };

const CAPSULE = {
  ...SUBJECT,
  updated_at: AT,
  verified_at: AT,
  source: { producer: 'my-agent', update_reason: 'manual' },
  continuity: {
    top_priorities: ['finish the parser'],
    active_concerns: [],
    active_constraints: ['no new dependencies'],
    open_loops: ['answer the review'],
    stance_summary: 'Finish the parser before anything new is begun.',
    drift_signals: [],
  },
  confidence: { continuity: 0.8, relationship_model: 0.5 },
};

const SIGNAL = {
  kind: 'self_review',
  source_ref: 'session',
  observed_at: AT,
  summary: 'Read through and found to be right.',
};

const claimOf = (peer: string): object => ({
  source_kind: 'handoff',
  source_id: `handoff_${'0'.repeat(32)}`,
  claimant_peer: peer,
  claim_summary: 'The parser is done.',
  epistemic_status: 'frame_present',
});

/** What an argument looks like, by its name; where two tools mean different things by one, `BY_TOOL` says more. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  ...SUBJECT,
  capsule: CAPSULE,
  candidate_capsule: CAPSULE,
  updated_at: AT,
  signals: [SIGNAL],
  outcome: 'confirm',
  transition: 'suspend',
  operations: [{ target: 'continuity.open_loops', action: 'append', value: 'ask for a review' }],
  reason: 'no longer needed',
  path: 'projects/my-project/notes.md',
  content: 'The parser is done.',
  record: { event: 'parser done' },
  query: 'parser',
  task: 'finish the parser',
  task_id: 'parser',
  title: 'Finish the parser',
  owner_peer: 'my-agent',
  recipient_peer: 'another-agent',
  kind: 'reminder',
  due_at: '2099-01-31T12:00:00Z',
  schedule_id: 'sched_example',
  expected_version: 1,
  classification: 'contradictory',
  trigger: 'handoff_vs_handoff',
  trust_level: 'restricted',
  peer_id: 'another-agent',
  base_url: 'https://agent.example',
  agent: 'another-agent',
  to: 'another-agent',
  body: 'The parser is done.',
  topic: 'How do you test parsers?',
  text: 'Hello.',
  bundle_hash: '0'.repeat(64),
  expected_turn: 0,
  room_id: 'room_example',
  listing_id: 'lst_example',
  message_id: 'msg_example',
  cue_id: 'cue_example',
  execution_id: 'exec_example',
  worker_id: 'my-worker',
  success: true,
  handoff_id: `handoff_${'0'.repeat(32)}`,
  shared_id: `shared_${'0'.repeat(32)}`,
  reconciliation_id: `recon_${'0'.repeat(32)}`,
  id: 'bootstrap',
  code: 'validation',
  field_path: 'context.retrieve.max_tokens_estimate',
};

const BY_TOOL: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'continuity.read': { view: 'startup', allow_fallback: true },
  'continuity.save': { merge_mode: 'preserve' },
  'continuity.delete': { delete_archive: true },
  'memory.append_jsonl': { path: 'journal/events.jsonl' },
  'coordination.handoff_consume': { status: 'accepted_advisory' },
  'coordination.reconciliation_resolve': {
    resolution_outcome: 'rejected',
    resolution_summary: 'Both were out of date.',
  },
  'coordination.handoffs_query': { recipient_peer: 'my-agent' },
  'coordination.shared_create': { constraints: ['no new dependencies'] },
  'coordination.shared_query': { task_id: 'parser' },
  'coordination.shared_update': { title: 'Parser', constraints: ['no new dependencies'] },
  'coordination.reconciliations_query': { status: 'open' },
  'coordination.reconciliation_open': {
    task_id: 'parser',
    claims: ['my-agent', 'another-agent'].map(claimOf),
  },
  'agents.create': { slug: 'another-agent' },
  // A tool takes the caller's own where none is named; their routes want one.
  'messages.inbox': { agent: 'my-agent' },
  'messages.sent': { agent: 'my-agent' },
  'system.tool_usage': { name: 'continuity.read' },
  'system.topic_help': { id: 'last-mile-adapter' },
  'cues.create': {
    name: 'daily summary',
    transport: 'worker',
    schedule: { type: 'recurring', cron: '0 9 * * *', timezone: 'UTC' },
  },
  'schedule.update': { note: 'moved' },
};

/** The least that a tool takes, as it would be sent. */
export function exampleArguments(tool: ToolDeclaration): Readonly<Record<string, unknown>> {
  const { required = [] } = inputSchema(tool);
  return { ...Object.fromEntries(required.map((name) => [name, BY_NAME[name]])), ...BY_TOOL[tool.name] };
}
