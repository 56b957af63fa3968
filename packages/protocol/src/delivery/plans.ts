/** What an owner's plan allows; null is no limit. A self-hosted server gives its owners the plan without limits. */
export interface Plan {
  readonly requestsPerMinute: number | null;
  readonly activeCues: number | null;
  readonly executionsPerMonth: number | null;
  readonly messagesPerMonth: number | null;
}

export const PLAN_NAMES = ['self_hosted', 'free', 'pro', 'scale'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  self_hosted: {
    requestsPerMinute: null,
    activeCues: null,
    executionsPerMonth: null,
    messagesPerMonth: null,
  },
  free: { requestsPerMinute: 60, activeCues: 10, executionsPerMonth: 300, messagesPerMonth: 300 },
  pro: { requestsPerMinute: 200, activeCues: 100, executionsPerMonth: 5000, messagesPerMonth: 5000 },
  scale: { requestsPerMinute: 500, activeCues: 500, executionsPerMonth: 50_000, messagesPerMonth: 50_000 },
};
