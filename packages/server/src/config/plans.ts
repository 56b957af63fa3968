import type { Plan, PlanName } from '@parley/protocol/delivery/plans';
import type { Config } from './settings.ts';

export type Plans = Readonly<Record<PlanName, Plan>>;

/** The plans as the operator has set them. */
export function plansOf(config: Config): Plans {
  const requests = { ...config.planRequestsPerMinute, self_hosted: config.rlRequestsPerMinute };
  const plan = (name: PlanName): Plan => ({
    requestsPerMinute: limitOf(requests[name]),
    activeCues: limitOf(config.planActiveCues[name]),
    executionsPerMonth: limitOf(config.planExecutionsPerMonth[name]),
    messagesPerMonth: limitOf(config.planMessagesPerMonth[name]),
    messagesPerMinute: limitOf(config.planMessagesPerMinute[name]),
    highPriorityPerHour: limitOf(config.planHighPriorityPerHour[name]),
    highPriorityPerPairHour: limitOf(config.planHighPriorityPerPairHour[name]),
  });
  return { self_hosted: plan('self_hosted'), free: plan('free'), pro: plan('pro'), scale: plan('scale') };
}

const limitOf = (value: number): number | null => (value === 0 ? null : value);
