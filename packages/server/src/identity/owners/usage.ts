import type { Budget } from '../../config/budgets.ts';
import { iso } from '../../wire/delivery/times.ts';
import type { Caller } from '../../wire/caller.ts';
import { countKeys } from '../keys/key-store.ts';
import type { Held, IdentityService } from '../service.ts';
import { readAccount } from './account.ts';
import { monthOf } from '../../platform/month.ts';
import { DAY } from '../../platform/units.ts';

const NOTHING_HELD: Held = {
  cues: 0,
  liveSessions: 0,
  documents: 0,
  outcomes: { succeeded: 0, failed: 0 },
};

/** `GET /v1/usage`: this month against the plan, and what is there against what may be. */
export async function usageAnswer(identity: IdentityService, caller: Caller): Promise<object> {
  const { ownerId } = caller;
  const { database, clock, budgets } = identity;
  // Requests of the calling key in the last minute; undefined without a limit, when they are not counted.
  const [{ owner, plan, usage }, agents, keys, bytes, requests, ...counted] = await Promise.all([
    readAccount(identity, ownerId),
    identity.directory.count(database.read, ownerId),
    countKeys(database.read, ownerId),
    identity.storedBytes.count(database.read, ownerId),
    identity.requestLimits.standing(caller),
    ...identity.hooks.held.map((count) => count(ownerId)),
  ]);
  const held: Held = Object.assign({}, NOTHING_HELD, ...counted);
  const now = clock.now();
  const month = { start: monthOf(now), end: monthOf(now, 1) };
  const period = { start: iso(month.start), end: iso(month.end) };
  const cues = share(usage.activeCues, plan.activeCues);
  const executions = share(usage.executionsThisMonth, plan.executionsPerMonth);
  const { percent_used: _percent, ...messages } = share(usage.messagesThisMonth, plan.messagesPerMonth);
  const projected = Math.round(
    (executions.used * (month.end - month.start)) / Math.max(1, now - month.start),
  );
  return {
    plan: owner.plan,
    billing_period: { ...period, days_remaining: Math.ceil((month.end - now) / DAY) },
    period,
    cues: { ...cues, active: usage.activeCues },
    executions: {
      ...executions,
      percentage: executions.percent_used,
      projected_month_end: projected,
      will_exceed_limit: executions.limit !== null && projected > executions.limit,
    },
    messages,
    outcomes: { reported: held.outcomes.succeeded + held.outcomes.failed, ...held.outcomes },
    rate_limit: {
      requests_per_minute: requests?.limit ?? null,
      limit: requests?.limit ?? null,
      current_usage: requests ? requests.limit - requests.remaining : null,
    },
    budgets: {
      agents: against(budgets.agents, agents),
      keys: against(budgets.keys, keys),
      live_sessions: against(budgets.liveSessions, held.liveSessions),
      bytes: against(budgets.bytes, bytes),
      cues: against(budgets.cues, held.cues),
      documents: against(budgets.documents, held.documents),
    },
  };
}

function share(used: number, limit: number | null) {
  return {
    used,
    limit,
    remaining: limit === null ? null : Math.max(0, limit - used),
    percent_used: limit === null ? 0 : Math.round((used / limit) * 1000) / 10,
  };
}

const against = ({ limit, setting }: Budget, used: number) => ({
  used,
  limit,
  remaining: limit === null ? null : Math.max(0, limit - used),
  setting,
});
