import * as coordination from '../coordination/routes.ts';
import * as schedule from '../schedule/routes.ts';
import type { ToolDeclaration } from './tool.ts';

const ITEM = 'As the answer to schedule.create or schedule.list names it.';
const DUE = 'UTC to the second, in the future: 2030-01-31T12:00:00Z.';

/** One-shot reminders. Arguments that they do not know are refused, as their routes do. */
export const SCHEDULE_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'schedule.create',
    title: 'Set a reminder',
    description:
      'Be reminded of something once, at a time. What is due is told with every startup read and context.retrieve; with wake true you are also sent a message. Sending the same again changes nothing. For things that repeat use cues.create.',
    route: schedule.create,
    group: 'schedule',
    effect: 'writes',
    isIdempotent: true,
    isStrict: true,
    fields: {
      kind: 'reminder, or task_nudge for something about a task, thread or subject.',
      due_at: DUE,
      wake: 'Send me a message when it is due.',
    },
  },
  {
    name: 'schedule.get',
    title: 'Read a reminder',
    description: 'One reminder with its version.',
    route: schedule.get,
    group: 'schedule',
    effect: 'reads',
    fields: { schedule_id: ITEM },
  },
  {
    name: 'schedule.list',
    title: 'List reminders',
    description: 'Reminders by when they are due; with due true only those that are due now.',
    route: schedule.list,
    group: 'schedule',
    effect: 'reads',
    isStrict: true,
  },
  {
    name: 'schedule.update',
    title: 'Change a reminder',
    description:
      "Change a pending reminder. Name the version you read, so that nobody else's change is lost.",
    route: schedule.update,
    group: 'schedule',
    effect: 'writes',
    fields: { schedule_id: ITEM, expected_version: 'The version you read.', due_at: DUE },
  },
  {
    name: 'schedule.acknowledge',
    title: 'Acknowledge a reminder',
    description: 'Say that a reminder was seen, or with status done that it was dealt with.',
    route: schedule.acknowledge,
    group: 'schedule',
    effect: 'writes',
    fields: { schedule_id: ITEM },
  },
  {
    name: 'schedule.retire',
    title: 'Put a reminder away',
    description: 'Put a reminder away for good, whether it was dealt with or not.',
    route: schedule.retire,
    group: 'schedule',
    effect: 'destroys',
    fields: { schedule_id: ITEM },
  },
];

const PEER = 'An agent of the same owner, by its slug.';
const VERSION = 'The version you read; another one is a conflict.';

export const COORDINATION_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'coordination.handoff_create',
    title: 'Hand work to another agent',
    description:
      'Give the constraints and drift signals of a capsule to another agent, which is sent a message. Save the capsule first, since the handoff shows what is stored.',
    route: coordination.handoffCreate,
    group: 'coordination',
    effect: 'writes',
    fields: { recipient_peer: PEER, note: 'What the other one should do or know.' },
  },
  {
    name: 'coordination.handoff_read',
    title: 'Read a handoff',
    description: 'What was handed over, for its sender and its recipient.',
    route: coordination.handoffRead,
    group: 'coordination',
    effect: 'reads',
  },
  {
    name: 'coordination.handoffs_query',
    title: 'List handoffs',
    description: 'Handoffs from or to you, newest first.',
    route: coordination.handoffsQuery,
    group: 'coordination',
    effect: 'reads',
  },
  {
    name: 'coordination.handoff_consume',
    title: 'Accept or reject a handoff',
    description: 'Accept, defer or reject a handoff that was made to you, once.',
    route: coordination.handoffConsume,
    group: 'coordination',
    effect: 'writes',
  },
  {
    name: 'coordination.shared_create',
    title: 'Create a shared board',
    description: 'A board of constraints, drift signals and alerts that the agents you name can read.',
    route: coordination.sharedCreate,
    group: 'coordination',
    effect: 'writes',
    fields: { participant_peers: 'Agents that may read it, by slug.' },
  },
  {
    name: 'coordination.shared_read',
    title: 'Read a shared board',
    description: 'A shared board with its version, for its owner and its participants.',
    route: coordination.sharedRead,
    group: 'coordination',
    effect: 'reads',
  },
  {
    name: 'coordination.shared_query',
    title: 'List shared boards',
    description: 'Shared boards that you own or take part in, last changed first.',
    route: coordination.sharedQuery,
    group: 'coordination',
    effect: 'reads',
  },
  {
    name: 'coordination.shared_update',
    title: 'Change a shared board',
    description:
      'Replace what a shared board says. Of several writers the first wins, the others get a conflict.',
    route: coordination.sharedUpdate,
    group: 'coordination',
    effect: 'writes',
    fields: { expected_version: VERSION },
  },
  {
    name: 'coordination.reconciliation_open',
    title: 'Record a contradiction',
    description: 'Put claims on record that do not go together, so that somebody resolves them.',
    route: coordination.reconciliationOpen,
    group: 'coordination',
    effect: 'writes',
  },
  {
    name: 'coordination.reconciliation_read',
    title: 'Read a contradiction',
    description: 'A recorded contradiction with its claims and its outcome.',
    route: coordination.reconciliationRead,
    group: 'coordination',
    effect: 'reads',
  },
  {
    name: 'coordination.reconciliations_query',
    title: 'List contradictions',
    description: 'Recorded contradictions that you own or have a claim in, last changed first.',
    route: coordination.reconciliationsQuery,
    group: 'coordination',
    effect: 'reads',
    isStrict: true,
  },
  {
    name: 'coordination.reconciliation_resolve',
    title: 'Resolve a contradiction',
    description: 'Say what came of a recorded contradiction, once.',
    route: coordination.reconciliationResolve,
    group: 'coordination',
    effect: 'writes',
    fields: { expected_version: VERSION },
  },
];

export const PEER_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'peers.list',
    title: 'List peers',
    description: 'The peers in the registry and how far each is trusted.',
    route: coordination.peerList,
    group: 'coordination',
    effect: 'reads',
  },
  {
    name: 'peers.register',
    title: 'Register a peer',
    description: 'Enter a peer into the registry, or change its entry. For administrators.',
    route: coordination.peerRegister,
    group: 'coordination',
    effect: 'writes',
  },
  {
    name: 'peers.trust_transition',
    title: 'Change trust in a peer',
    description: 'Change how far a peer is trusted, with a reason. For administrators.',
    route: coordination.peerTrust,
    group: 'coordination',
    effect: 'writes',
  },
];
