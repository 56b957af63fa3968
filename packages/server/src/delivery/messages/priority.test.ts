import { PLANS } from '@parley/protocol/delivery/plans';
import { describe, expect, test } from 'vitest';
import { judgePriority } from './priority.ts';

const none = { byOwner: 0, bySenderAndRecipient: 0 };

describe('priority', () => {
  test.each([1, 2, 3])('%i is never limited', (priority) => {
    const counts = { byOwner: 1e6, bySenderAndRecipient: 1e6 };
    expect(judgePriority(priority, counts, PLANS.free)).toEqual({
      kind: 'stored',
      priority,
      downgraded: false,
    });
  });

  test.each([4, 5])('%i is stored as asked within both limits', (priority) => {
    const counts = { byOwner: 9, bySenderAndRecipient: 4 };
    expect(judgePriority(priority, counts, PLANS.free)).toEqual({
      kind: 'stored',
      priority,
      downgraded: false,
    });
  });

  test('the sixth to one recipient is stored as normal', () => {
    const counts = { byOwner: 5, bySenderAndRecipient: 5 };
    expect(judgePriority(5, counts, PLANS.pro)).toEqual({ kind: 'stored', priority: 3, downgraded: true });
  });

  test('the eleventh of an owner is refused, before any downgrade', () => {
    const counts = { byOwner: 10, bySenderAndRecipient: 5 };
    expect(judgePriority(4, counts, PLANS.scale)).toEqual({ kind: 'refused', limit: 10 });
  });

  test('a plan without these limits takes everything', () => {
    const plan = { highPriorityPerHour: null, highPriorityPerPairHour: null };
    const counts = { byOwner: 1e6, bySenderAndRecipient: 1e6 };
    expect(judgePriority(5, counts, plan)).toMatchObject({ kind: 'stored', priority: 5 });
    expect(judgePriority(5, none, PLANS.self_hosted)).toMatchObject({ kind: 'stored', priority: 5 });
  });
});
