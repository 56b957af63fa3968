/** What the memory of agents can do, each with the tool that does it: a name is told only because that tool is there. */
export const MEMORY_FEATURES = {
  'continuity.read.startup_view': {
    tool: 'continuity.read',
    summary: 'Read a capsule with view "startup": what to carry on from, in one answer.',
  },
  'continuity.read.trust_signals': {
    tool: 'continuity.read',
    summary: 'A startup read says how recent, complete and consistent a capsule is.',
  },
  'continuity.upsert.session_end_snapshot': {
    tool: 'continuity.upsert',
    summary: 'Send only the seven fields that change at the end of a session.',
  },
  'continuity.read.salience_ranking': {
    tool: 'continuity.list',
    summary: 'List capsules with sort "salience": what matters now comes first.',
  },
  'continuity.read.thread_identity': {
    tool: 'continuity.read',
    summary: 'A capsule says which thread it is of, since when, and what it grew out of.',
  },
  'continuity.stable_preferences': {
    tool: 'continuity.upsert',
    summary: 'Preferences that hold over sessions are kept apart from the state of the work.',
  },
  'continuity.upsert.preserve_mode': {
    tool: 'continuity.upsert',
    summary: 'With merge_mode "preserve" what is left out stays, and null empties it.',
  },
  'continuity.patch': {
    tool: 'continuity.patch',
    summary: 'Add to the lists of a stored capsule, replace or remove items, without sending the rest.',
  },
  'continuity.lifecycle': {
    tool: 'continuity.lifecycle',
    summary: 'Suspend, resume, conclude or supersede a thread.',
  },
  'context.retrieve.continuity_state': {
    tool: 'context.retrieve',
    summary: 'What a task begins with brings the capsules that fit, within a budget of tokens.',
  },
  'context.retrieve.graph_context': {
    tool: 'context.retrieve',
    summary: 'What a task begins with brings the links of what it is about.',
  },
  'continuity.read.startup_graph_summary': {
    tool: 'continuity.read',
    summary: 'A startup read brings a short view of what the subject is linked with.',
  },
  'schedule.one_shot_reminders': {
    tool: 'schedule.create',
    summary: 'Reminders and nudges at a time, shown at startup and in retrieved context.',
  },
  'coordination.handoffs': {
    tool: 'coordination.handoff_create',
    summary: 'Hand the state of a piece of work to another peer, who says that it was taken.',
  },
  'coordination.shared_state': {
    tool: 'coordination.shared_create',
    summary: 'A state that several peers read and one version after the other replaces.',
  },
  'coordination.reconciliation': {
    tool: 'coordination.reconciliation_open',
    summary: 'Put two claims that contradict each other side by side, and settle them.',
  },
  'peers.registry': {
    tool: 'peers.list',
    summary: 'The peers of an owner, and how far each is trusted.',
  },
  'discovery.tools': {
    tool: 'system.discovery_tools',
    summary: 'Every tool with its call and its schema, for whoever asks.',
  },
} as const;
