/** What an owner's plan allows; null is no limit. A self-hosted server gives its owners the plan without quotas. */
export interface Plan {
  readonly requestsPerMinute: number | null;
  readonly activeCues: number | null;
  readonly executionsPerMonth: number | null;
  readonly messagesPerMonth: number | null;
  readonly messagesPerMinute: number | null;
  /** Messages above normal priority, by sending owner: more are refused. */
  readonly highPriorityPerHour: number | null;
  /** The same by sender and recipient: more are stored with normal priority. */
  readonly highPriorityPerPairHour: number | null;
}

export const PLAN_NAMES = ['self_hosted', 'free', 'pro', 'scale'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/** A plan as it is stored; one that is not known any more limits nothing. */
export const planNamed = (name: string): PlanName =>
  PLAN_NAMES.find((plan) => plan === name) ?? 'self_hosted';

/** More than one key can send to one machine: it stops a program that runs wild, and nobody else. */
export const SELF_HOSTED_REQUESTS = 600_000;

const HIGH_PRIORITY = { highPriorityPerHour: 10, highPriorityPerPairHour: 5 } as const;

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  self_hosted: {
    requestsPerMinute: SELF_HOSTED_REQUESTS,
    activeCues: null,
    executionsPerMonth: null,
    messagesPerMonth: null,
    messagesPerMinute: null,
    highPriorityPerHour: 600,
    highPriorityPerPairHour: 120,
  },
  free: {
    requestsPerMinute: 60,
    activeCues: 10,
    executionsPerMonth: 300,
    messagesPerMonth: 300,
    messagesPerMinute: 10,
    ...HIGH_PRIORITY,
  },
  pro: {
    requestsPerMinute: 200,
    activeCues: 100,
    executionsPerMonth: 5000,
    messagesPerMonth: 5000,
    messagesPerMinute: 60,
    ...HIGH_PRIORITY,
  },
  scale: {
    requestsPerMinute: 500,
    activeCues: 500,
    executionsPerMonth: 50_000,
    messagesPerMonth: 50_000,
    messagesPerMinute: 300,
    ...HIGH_PRIORITY,
  },
};
