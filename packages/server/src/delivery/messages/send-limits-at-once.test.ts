import { type Plan, PLANS } from '@parley/protocol/delivery/plans';
import { describe, expect, test } from 'vitest';
import { Limits } from '../../platform/limits/limits.ts';
import { farLimiter } from '../../platform/limits/testing/far-limiter.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { DeliveryError } from '../../wire/delivery/errors.ts';
import { type CountedSend, createSendLimits } from './send-limits.ts';

const SEND = { plan: 'pro', ownerId: 'max', sender: 'a', recipient: 'b', foreign: [], priority: 3 } as const;

/** What becomes of twenty that are sent at the same time, over nodes that share their counts: priority or refusal, and how often. */
function sending(plan: Partial<Plan>) {
  const near = new Limits({ clock: new FakeClock(), enabled: true });
  const far = {
    slidingWindow: (...[name, rule]: Parameters<Limits['slidingWindow']>) =>
      farLimiter(near.slidingWindow(name, rule)),
  };
  const limits = createSendLimits(far, {
    plans: { ...PLANS, pro: { ...PLANS.pro, ...plan } },
    inboundPairPerHour: 3,
  });
  return async (more: Partial<CountedSend> = {}): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    const told = Array.from({ length: 20 }, () =>
      limits.take({ ...SEND, ...more }).then(
        ({ priority }) => priority,
        (error: DeliveryError) => error.code,
      ),
    );
    for (const each of await Promise.all(told)) counts[each] = (counts[each] ?? 0) + 1;
    return counts;
  };
}

describe('of messages sent at once', () => {
  test('so many of an owner are taken in a minute', async () => {
    expect(await sending({ messagesPerMinute: 3 })()).toEqual({ 3: 3, rate_limit_exceeded: 17 });
  });

  test('so many from another owner get to an agent', async () => {
    expect(await sending({})({ foreign: ['b'] })).toEqual({ 3: 3, inbound_rate_limit: 17 });
  });

  test('so many of an owner are urgent', async () => {
    const send = sending({ highPriorityPerHour: 3, highPriorityPerPairHour: null });
    expect(await send({ priority: 5 })).toEqual({ 5: 3, priority_high_rate_limit: 17 });
  });

  test('so many of a pair stay urgent, and the others do not count for the owner', async () => {
    const send = sending({ highPriorityPerHour: 4, highPriorityPerPairHour: 3 });
    expect(await send({ priority: 5 })).toEqual({ 3: 17, 5: 3 });
    expect(await send({ priority: 5, recipient: 'c' })).toMatchObject({ 5: 1 });
  });
});
