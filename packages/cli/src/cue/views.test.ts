import type { CueAnswer, ExecutionAnswer } from '@parley/protocol/delivery/types';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { viewed } from '../testing/tagged.ts';
import { executionLine, showCue, showCues, showExecution, showExecutions } from './views.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 5, 1, 9) }));
afterEach(() => void vi.useRealTimers());

const cue = (change: Partial<CueAnswer>): CueAnswer =>
  ({
    id: 'cue_000000000001',
    name: 'tides',
    description: null,
    status: 'active',
    schedule: { type: 'recurring', cron: '0 6 * * *', timezone: 'Europe/Lisbon' },
    transport: 'webhook',
    callback: null,
    agent: 'harbour@ann',
    payload: { task: 'read' },
    next_run: '2026-06-02T05:00:00.000Z',
    last_run: null,
    fired_count: 2,
    warning: null,
    ...change,
  }) as CueAnswer;

const once = cue({
  id: 'cue_000000000002',
  name: 'once',
  description: 'Only once.',
  status: 'paused',
  schedule: { type: 'once', at: '2026-06-02T07:30:00.000Z', timezone: 'UTC' },
  agent: null,
  callback: { url: 'https://a.example/hook', method: 'POST', headers: {} },
  next_run: null,
  last_run: '2026-06-01T08:00:00.000Z',
  warning: 'nobody listens',
});

test('one cue: when it runs in its own zone, whom it goes to, and what it warns of', () => {
  expect(viewed((page) => showCue(page, cue({})))).toBe(`cue_000000000001<bold>  tides</>
<dim>  Status    </><green>active</>
<dim>  When      </>0 6 * * * (Europe/Lisbon)
<dim>  Next run  </>2026-06-02 06:00 Europe/Lisbon
<dim>  Last run  </>none
<dim>  To        </>harbour@ann
<dim>  Fired     </>2 times
<dim>  Payload   </>{"task":"read"}`);
  expect(viewed((page) => showCue(page, once))).toBe(`cue_000000000002<bold>  once</>
  Only once.
<dim>  Status    </><yellow>paused</>
<dim>  When      </>once, 2026-06-02 07:30 UTC
<dim>  Next run  </>none
<dim>  Last run  </>1 hour ago
<dim>  To        </>https://a.example/hook
<dim>  Fired     </>2 times
<dim>  Payload   </>{"task":"read"}
<yellow>  ! nobody listens</>`);
});

test('cues: a row each, for programs with the whole time', () => {
  const cues = [cue({}), once, cue({ agent: null, transport: 'worker' }), cue({ agent: null })];
  expect(viewed((page) => showCues(page, cues), true).split('\n')).toEqual([
    'cue_000000000001\ttides\tactive\t0 6 * * * (Europe/Lisbon)\t2026-06-02T05:00:00.000Z\tharbour@ann',
    'cue_000000000002\tonce\tpaused\tonce, 2026-06-02 07:30 UTC\t\thttps://a.example/hook',
    'cue_000000000001\ttides\tactive\t0 6 * * * (Europe/Lisbon)\t2026-06-02T05:00:00.000Z\tworkers',
    'cue_000000000001\ttides\tactive\t0 6 * * * (Europe/Lisbon)\t2026-06-02T05:00:00.000Z\t',
  ]);
  expect(viewed((page) => showCues(page, [cue({})])).split('\n')[1]).toBe(
    'cue_000000000001  tides  <green>active  </>0 6 * * * (Europe/Lisbon)  2026-06-02 06:00  harbour@ann',
  );
  expect(viewed((page) => showCues(page, []))).toBe('No cues.');
  expect(viewed((page) => showCues(page, []), true)).toBe('\nbeside: No cues.');
});

const run = (change: Partial<ExecutionAnswer>): ExecutionAnswer =>
  ({
    id: '00000000-0000-4000-8000-000000000001',
    source: 'cue',
    cue_id: 'cue_000000000001',
    message_id: null,
    scheduled_for: '2026-06-01T08:59:00.000Z',
    status: 'success',
    triggered_by: 'scheduled',
    attempts: 1,
    error_message: null,
    claimed_by_worker: null,
    payload: { task: 'read' },
    delivery_route: null,
    outcome_state: null,
    outcome: null,
    routing_trace: [],
    ...change,
  }) as ExecutionAnswer;

const failed = run({
  source: 'message',
  message_id: 'msg_1',
  status: 'failed',
  error_message: 'status 500',
  claimed_by_worker: 'w1',
  delivery_route: 'inbox_direct',
  outcome_state: 'reported_failure',
  outcome: { result: null, error: 'no tide' } as never,
  routing_trace: [
    { at: 'T1', step: 'resolve', result: 'inbox', reason: null },
    { at: 'T2', step: 'live', result: 'none', reason: 'asleep' },
  ],
});

test('one execution: the facts there are, and the way it took', () => {
  expect(viewed((page) => showExecution(page, run({})))).toBe(`${run({}).id}<green>  success</>
<dim>  Of         </>cue_000000000001
<dim>  Because    </>scheduled
<dim>  Scheduled  </>1 minute ago
<dim>  Attempts   </>1
<dim>  Payload    </>{"task":"read"}`);
  expect(viewed((page) => showExecution(page, failed))).toBe(`${failed.id}<red>  failed</>
<dim>  Of         </>msg_1
<dim>  Because    </>scheduled
<dim>  Scheduled  </>1 minute ago
<dim>  Route      </>inbox_direct
<dim>  Attempts   </>1
<dim>  Worker     </>w1
<dim>  Error      </>status 500
<dim>  Outcome    </>reported_failure
<dim>  Result     </>no tide
<dim>  Payload    </>{"task":"read"}

<bold>How it was routed</>
  - T1 resolve: inbox
  - T2 live: none (asleep)`);
});

test('executions: a row each, told as long ago in a table and with its time where rows come alone', () => {
  const { id } = failed;
  expect(viewed((page) => showExecutions(page, [failed])).split('\n')[1]).toBe(
    `${id}  1 minute ago  <red>failed  </><red>reported_failure  </>inbox_direct  msg_1`,
  );
  expect(viewed((page) => executionLine(page, failed))).toBe(
    `${id}  2026-06-01 08:59  <red>failed</>  <red>reported_failure</>  inbox_direct  msg_1`,
  );
  const row = `${id}\t2026-06-01T08:59:00.000Z\tsuccess\t\t\tcue_000000000001`;
  expect(viewed((page) => executionLine(page, run({})), true)).toBe(row);
  expect(viewed((page) => showExecutions(page, [run({})]), true)).toBe(row);
  expect(viewed((page) => showExecutions(page, []), true)).toBe('\nbeside: No executions.');
});
