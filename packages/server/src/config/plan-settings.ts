import { PLANS, type Plan, type PlanName } from '@parley/protocol/delivery/plans';
import { numbersByName } from './setting.ts';

/** Zero is the setting's word for what a plan calls null: no limit. */
const ofPlans = (limit: keyof Plan): Record<PlanName, number> => ({
  self_hosted: PLANS.self_hosted[limit] ?? 0,
  free: PLANS.free[limit] ?? 0,
  pro: PLANS.pro[limit] ?? 0,
  scale: PLANS.scale[limit] ?? 0,
});

/** `self_hosted` has a setting of its own. */
const { self_hosted: _, ...requestsOfPlans } = ofPlans('requestsPerMinute');

/** What each plan allows. Plans that a setting does not name keep their default. */
export const PLAN_SETTINGS = {
  planRequestsPerMinute: numbersByName('Requests per key and minute by plan; 0: no limit', requestsOfPlans),
  planActiveCues: numbersByName('Active cues by plan; 0: no limit', ofPlans('activeCues')),
  planExecutionsPerMonth: numbersByName(
    'Executions per month by plan; 0: no limit',
    ofPlans('executionsPerMonth'),
  ),
  planMessagesPerMonth: numbersByName(
    'Messages an owner may send per month by plan; 0: no limit',
    ofPlans('messagesPerMonth'),
  ),
  planMessagesPerMinute: numbersByName(
    'Messages an owner may send per minute by plan; 0: no limit',
    ofPlans('messagesPerMinute'),
  ),
  planHighPriorityPerHour: numbersByName(
    'Messages above normal priority per owner and hour by plan, more are refused; 0: no limit',
    ofPlans('highPriorityPerHour'),
  ),
  planHighPriorityPerPairHour: numbersByName(
    'The same from one agent to another, more arrive with normal priority; 0: no limit',
    ofPlans('highPriorityPerPairHour'),
  ),
} as const;
