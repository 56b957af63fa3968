import * as cues from '../delivery/cue-routes.ts';
import * as executions from '../delivery/execution-routes.ts';
import { PAGES } from '../delivery/limits.ts';
import type { ToolDeclaration } from './tool.ts';

const page = (most: number) => ({ limit: { type: 'integer', minimum: 1, maximum: most } });

const CUE = 'Id of the cue: cue_…';
/** Older clients put the schedule beside the rest. */
const FLAT = ['cron', 'at', 'timezone', 'callback_url', 'worker', 'to'];

export const CUE_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'cues.create',
    title: 'Create a cue',
    description:
      'Have something happen at a time, or again and again by a cron line: an agent is woken, a webhook is called, or a worker gets a task. The server keeps proof of what came of each run.',
    route: cues.cueCreate,
    group: 'cues',
    effect: 'writes',
    isStrict: true,
    without: FLAT,
    needed: ['schedule'],
    fields: {
      schedule: 'type once with at (RFC 3339), or recurring with cron (five fields) and a timezone.',
      agent: 'Wake this agent: slug, slug@owner or id.',
      callback: 'Or call this URL.',
      transport: 'worker: for whoever claims it; else webhook.',
      payload: 'What the one who is woken gets.',
    },
  },
  {
    name: 'cues.list',
    title: 'List cues',
    description: 'Your cues, newest first.',
    route: cues.cueList,
    group: 'cues',
    effect: 'reads',
    shapes: page(PAGES.cues.max),
  },
  {
    name: 'cues.get',
    title: 'Read a cue',
    description: 'One cue with its latest runs.',
    route: cues.cueRead,
    group: 'cues',
    effect: 'reads',
    params: { cue_id: 'id' },
    shapes: { execution_limit: { type: 'integer', minimum: 1, maximum: PAGES.cueExecutions.max } },
    fields: { cue_id: CUE },
  },
  {
    name: 'cues.update',
    title: 'Change a cue',
    description: 'Change a cue, pause it (status paused) or let it go on (status active).',
    route: cues.cueUpdate,
    group: 'cues',
    effect: 'writes',
    isIdempotent: true,
    params: { cue_id: 'id' },
    without: ['transport', 'to'],
    fields: { cue_id: CUE },
  },
  {
    name: 'cues.delete',
    title: 'Delete a cue',
    description: 'Delete a cue with the record of its runs.',
    route: cues.cueDelete,
    group: 'cues',
    effect: 'destroys',
    isIdempotent: true,
    params: { cue_id: 'id' },
    fields: { cue_id: CUE },
  },
  {
    name: 'cues.fire',
    title: 'Fire a cue now',
    description: 'Run a cue now, with another payload if you like.',
    route: cues.cueFire,
    group: 'cues',
    effect: 'writes',
    params: { cue_id: 'id' },
    fields: { cue_id: CUE, idempotency_key: 'Repeat with the same key and it runs once.' },
  },
];

const EXECUTION = 'Id of the execution: exec_…';

export const EXECUTION_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'executions.list',
    title: 'List executions',
    description:
      'Runs of your cues and pushes of messages to your agents, newest first: what was started, and what came of it.',
    route: executions.executionList,
    group: 'executions',
    effect: 'reads',
    shapes: page(PAGES.executions.max),
  },
  {
    name: 'executions.get',
    title: 'Read an execution',
    description: 'One execution with the reason for its routing and its outcome.',
    route: executions.executionRead,
    group: 'executions',
    effect: 'reads',
    params: { execution_id: 'id' },
    fields: { execution_id: EXECUTION },
  },
  {
    name: 'executions.claim',
    title: 'Claim work',
    description:
      'Take the oldest execution that waits for a worker; exactly one of any number of claims gets it. Report with executions.report when you are done.',
    route: executions.executionClaimNext,
    group: 'executions',
    effect: 'writes',
    fields: { worker_id: 'A name for yourself that stays the same.', task: 'Only work of this kind.' },
  },
  {
    name: 'executions.heartbeat',
    title: 'Still working',
    description:
      'Keep a claimed execution while you work on it; without this others may take it when its lease ends.',
    route: executions.executionBeat,
    group: 'executions',
    effect: 'writes',
    isIdempotent: true,
    params: { execution_id: 'id' },
    fields: { execution_id: EXECUTION },
  },
  {
    name: 'executions.report',
    title: 'Report an outcome',
    description: 'Say what came of an execution, with evidence. It can be said once.',
    route: executions.executionOutcome,
    group: 'executions',
    effect: 'writes',
    params: { execution_id: 'id' },
    fields: { execution_id: EXECUTION, summary: 'What was done, in a sentence.' },
  },
  {
    name: 'executions.verify',
    title: 'Verify an outcome',
    description: 'Confirm a reported outcome, or with valid false reject it.',
    route: executions.executionVerify,
    group: 'executions',
    effect: 'writes',
    isIdempotent: true,
    params: { execution_id: 'id' },
    fields: { execution_id: EXECUTION },
  },
];
