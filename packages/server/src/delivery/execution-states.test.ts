import { EXECUTION_STATUSES, type ExecutionStatus } from '@parley/protocol/delivery/vocabulary';
import { describe, expect, test } from 'vitest';
import {
  afterLeaseLost,
  type ExecutionEvent,
  isTerminal,
  nextExecutionStatus,
  statusAfterOutcome,
  statusesTaking,
} from './execution-states.ts';

describe('execution states', () => {
  test.each<[ExecutionEvent, ExecutionStatus, ExecutionStatus[]]>([
    ['attempt_started', 'delivering', ['pending', 'retry_ready']],
    ['claimed', 'delivering', ['pending', 'retry_ready']],
    ['accepted', 'success', ['delivering']],
    ['awaits_outcome', 'pending_outcome', ['delivering']],
    ['to_retry', 'retrying', ['delivering']],
    ['retry_due', 'retry_ready', ['retrying']],
    ['spent', 'failed', ['delivering']],
    ['lease_lost', 'pending', ['delivering']],
    ['fetched', 'success', ['pending', 'delivering', 'retrying', 'retry_ready']],
    ['unclaimed', 'missed', ['pending', 'retry_ready']],
    ['cancelled', 'failed', ['pending', 'delivering', 'retrying', 'retry_ready']],
    ['outcome_deadline', 'outcome_timeout', ['pending_outcome']],
  ])('%s leads to %s from the right statuses only', (event, to, from) => {
    expect(statusesTaking(event).toSorted()).toEqual(from.toSorted());
    for (const status of EXECUTION_STATUSES) {
      expect(nextExecutionStatus(status, event)).toBe(from.includes(status) ? to : undefined);
    }
  });

  test('ends in success, failed, missed and outcome_timeout', () => {
    expect(EXECUTION_STATUSES.filter(isTerminal)).toEqual(['success', 'failed', 'missed', 'outcome_timeout']);
  });

  test.each(EXECUTION_STATUSES)('an outcome on claimed work that is %s decides it', (status) => {
    for (const channel of ['live', 'bg', 'inbox'] as const) {
      expect(statusAfterOutcome(status, channel, true)).toBe('success');
      expect(statusAfterOutcome(status, channel, false)).toBe('failed');
    }
  });

  test('a failure reported on a delivered webhook leaves the delivery a success', () => {
    expect(statusAfterOutcome('success', 'webhook', false)).toBe('success');
    expect(statusAfterOutcome('pending_outcome', 'webhook', false)).toBe('failed');
    expect(statusAfterOutcome('failed', 'webhook', true)).toBe('success');
  });

  test('a lost lease is given to another worker until the attempts are spent', () => {
    expect([1, 2, 3, 4].map((attempts) => afterLeaseLost(attempts, 3))).toEqual([
      'lease_lost',
      'lease_lost',
      'spent',
      'spent',
    ]);
    expect(afterLeaseLost(99, null)).toBe('lease_lost');
  });
});
