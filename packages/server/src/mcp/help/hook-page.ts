import {
  HOOK_IDS,
  type HookId,
  SNAPSHOT_FIELDS,
  WRITE_ELIGIBLE,
} from '@parley/protocol/continuity/hook-points';

const HOOKS: Readonly<Record<HookId, object>> = {
  startup: {
    purpose: 'Load what was stored, and pass the answer on unchanged.',
    when_to_use: 'When a session begins or begins again.',
    call: {
      http: 'POST /v1/continuity/read',
      mcp_tool: 'continuity.read',
      params: { view: 'startup', allow_fallback: true },
    },
    writes: 'never',
  },
  pre_prompt: {
    purpose: 'Gather what helps with the task at hand.',
    when_to_use: 'Before a prompt goes to the model.',
    call: { http: 'POST /v1/context/retrieve', mcp_tool: 'context.retrieve', params: {} },
    writes: 'never',
  },
  post_prompt: {
    purpose: 'Save what changed.',
    when_to_use: 'After the model has answered.',
    call: { http: 'POST /v1/continuity/upsert', mcp_tool: 'continuity.upsert', params: {} },
    writes: 'only if a write-eligible field changed',
  },
  pre_compaction_or_handoff: {
    purpose: 'Save what changed before context is lost; then hand the work over, if that is wanted.',
    when_to_use: 'Before compaction, at the end of a session, and before another agent takes over.',
    call: { http: 'POST /v1/continuity/upsert', mcp_tool: 'continuity.upsert', params: {} },
    follow_up: { http: 'POST /v1/coordination/handoff/create', mcp_tool: 'coordination.handoff_create' },
    writes: 'only if a write-eligible field changed; the handoff only for another peer',
  },
};

export const hookPage = (): object => ({
  kind: 'hook_guide',
  hooks: HOOK_IDS.map((id) => ({ id, ...HOOKS[id] })),
  write_eligible_fields: WRITE_ELIGIBLE,
  snapshot_fields: SNAPSHOT_FIELDS,
  rules: [
    'Fields are compared in the order of write_eligible_fields with the last stored capsule, the active one or else its fallback.',
    'With nothing stored, changed means different from empty.',
    'session_end_snapshot is used only when every changed field is one of snapshot_fields; otherwise the whole capsule is sent.',
    'A change of lifecycle travels as lifecycle_transition, with superseded_by for supersede.',
    'Prompts, transcripts, tool output and retrieved text are never written.',
    'What the graph and the schedule say is for orientation only.',
    'A handoff is created after the capsule was written, so that it shows the new state.',
  ],
});
