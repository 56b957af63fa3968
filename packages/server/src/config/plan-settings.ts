import { PLANS, type Plan, type PlanName } from '@parley/protocol/delivery/plans';
import { numbersByName, type Setting } from './setting.ts';

/** Zero is the setting's word for what a plan calls null: no limit. */
const ofPlans = (limit: keyof Plan): Record<PlanName, number> => ({
  self_hosted: PLANS.self_hosted[limit] ?? 0,
  free: PLANS.free[limit] ?? 0,
  pro: PLANS.pro[limit] ?? 0,
  scale: PLANS.scale[limit] ?? 0,
});

const byPlan = (help: string, limit: keyof Plan): Setting<Readonly<Record<PlanName, number>>> =>
  numbersByName(`${help}; 0: no limit`, ofPlans(limit));

/** `self_hosted` has a setting of its own. */
const { self_hosted: _, ...requestsOfPlans } = ofPlans('requestsPerMinute');

/** What each plan allows. Plans that a setting does not name keep their default. */
export const PLAN_SETTINGS = {
  planRequestsPerMinute: numbersByName('Requests per key and minute by plan; 0: no limit', requestsOfPlans),
  planActiveCues: byPlan('Active cues by plan', 'activeCues'),
  planExecutionsPerMonth: byPlan('Executions per month by plan', 'executionsPerMonth'),
  planMessagesPerMonth: byPlan('Messages an owner may send per month by plan', 'messagesPerMonth'),
  planMessagesPerMinute: byPlan('Messages an owner may send per minute by plan', 'messagesPerMinute'),
  planHighPriorityPerHour: byPlan(
    'Messages above normal priority per owner and hour by plan, more are refused',
    'highPriorityPerHour',
  ),
  planHighPriorityPerPairHour: byPlan(
    'The same from one agent to another, more arrive with normal priority',
    'highPriorityPerPairHour',
  ),
} as const;
