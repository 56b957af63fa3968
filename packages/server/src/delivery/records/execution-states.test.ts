import { EXECUTION_STATUSES, type ExecutionStatus } from '@parley/protocol/delivery/vocabulary';
import { describe, expect, test } from 'vitest';
import {
  type ExecutionEvent,
  isTerminal,
  nextExecutionStatus,
  firstStatus,
  reportOn,
  statusAfter,
  statusesTaking,
} from './execution-states.ts';

describe('execution states', () => {
  test.each<[ExecutionEvent, ExecutionStatus, ExecutionStatus[]]>([
    ['attempt_started', 'delivering', ['pending', 'delivering', 'retrying', 'retry_ready']],
    ['claimed', 'delivering', ['pending', 'retry_ready']],
    ['live_claimed', 'delivering', ['pending', 'retrying', 'retry_ready']],
    ['rerouted', 'pending', ['pending', 'retry_ready']],
    ['accepted', 'success', ['delivering']],
    ['awaits_outcome', 'pending_outcome', ['delivering']],
    ['to_retry', 'retrying', ['delivering']],
    ['retry_due', 'retry_ready', ['retrying']],
    ['spent', 'failed', ['delivering']],
    ['lease_lost', 'pending', ['delivering']],
    ['fetched', 'success', ['pending', 'retrying', 'retry_ready']],
    ['unclaimed', 'missed', ['pending', 'retry_ready']],
    ['expired', 'missed', ['pending', 'retrying', 'retry_ready']],
    ['cancelled', 'failed', ['pending', 'retrying', 'retry_ready']],
    ['outcome_deadline', 'outcome_timeout', ['pending_outcome']],
    ['reported_success', 'success', [...EXECUTION_STATUSES]],
    ['reported_failure', 'failed', [...EXECUTION_STATUSES]],
  ])('%s leads to %s from the right statuses only', (event, to, from) => {
    expect(statusesTaking(event).toSorted()).toEqual(from.toSorted());
    expect(statusAfter(event)).toBe(to);
    for (const status of EXECUTION_STATUSES) {
      expect(nextExecutionStatus(status, event)).toBe(from.includes(status) ? to : undefined);
    }
  });

  test('ends in success, failed, missed and outcome_timeout', () => {
    expect(EXECUTION_STATUSES.filter(isTerminal)).toEqual(['success', 'failed', 'missed', 'outcome_timeout']);
  });

  test('begins waiting, or missed when there is nobody to wait for', () => {
    expect(firstStatus({ missed: false })).toBe('pending');
    expect(firstStatus({ missed: true })).toBe('missed');
  });

  test.each(EXECUTION_STATUSES)('an outcome on claimed work that is %s decides it', (status) => {
    for (const channel of ['live', 'bg', 'inbox', null] as const) {
      expect(reportOn(status, channel, true)).toBe('reported_success');
      expect(reportOn(status, channel, false)).toBe('reported_failure');
    }
  });

  test('a failure reported on a delivered webhook leaves the delivery a success', () => {
    expect(reportOn('success', 'webhook', false)).toBeUndefined();
    expect(reportOn('pending_outcome', 'webhook', false)).toBe('reported_failure');
    expect(reportOn('failed', 'webhook', true)).toBe('reported_success');
  });
});
