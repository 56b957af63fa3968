import { PLANS } from '@parley/protocol/delivery/plans';
import { expect, test } from 'vitest';
import type { Usage } from '../service.ts';
import { nearQuota } from './account.ts';

type Plans = Parameters<typeof nearQuota>[0]['plans'];
type Caller = Parameters<typeof nearQuota>[1];

/** Who has used this much of the plan with 300 of each in a month. */
function isNear(used: Partial<Usage>): Promise<boolean> {
  const hooks = { ownerCreated: [], agentDeleted: [], usage: [async () => used], held: [], loginLink: [] };
  const plans: Plans = PLANS;
  return nearQuota({ plans, hooks }, { ownerId: 'owner', plan: 'free' } as Caller);
}

test('four fifths of either quota are near it', async () => {
  expect(await isNear({})).toBe(false);
  expect(await isNear({ executionsThisMonth: 239, messagesThisMonth: 239 })).toBe(false);
  expect(await isNear({ executionsThisMonth: 240 })).toBe(true);
  expect(await isNear({ messagesThisMonth: 240 })).toBe(true);
});
