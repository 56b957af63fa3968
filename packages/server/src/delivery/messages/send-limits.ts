import { DELIVERY_ERRORS } from '@parley/protocol/delivery/errors';
import { PLAN_NAMES, type PlanName } from '@parley/protocol/delivery/plans';
import { type SettingName, variableName } from '../../config/settings.ts';
import type { Limiter, LimitVerdict, Wait } from '../../platform/limits/limiter.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import { DeliveryError, rateLimitExceeded } from '../../wire/delivery/errors.ts';
import { isHigh, judgePriority } from './priority.ts';
import type { DeliverySettings } from '../settings.ts';
import { HOUR, MINUTE } from '../../platform/units.ts';

export interface CountedSend {
  readonly plan: PlanName;
  readonly ownerId: string;
  readonly sender: string;
  readonly recipient: string;
  /** Recipients of another owner: the one it is for, and those who are only told of it. */
  readonly foreign: readonly string[];
  readonly priority: number;
}

export type SendLimits = ReturnType<typeof createSendLimits>;

/** How much an owner may send. A refused message is counted nowhere. */
export function createSendLimits(
  limits: Pick<Limits, 'slidingWindow'>,
  { plans, inboundPairPerHour }: Pick<DeliverySettings, 'plans' | 'inboundPairPerHour'>,
) {
  const window = (
    name: string,
    limit: number | null,
    windowMs: number,
    setting: SettingName,
  ): Limiter | undefined => {
    if (limit === null || limit === 0) return undefined;
    return limits.slidingWindow(`delivery.${name}`, { limit, windowMs, setting: variableName(setting) });
  };
  const ofPlans = new Map(
    PLAN_NAMES.map((plan) => {
      const { messagesPerMinute, highPriorityPerHour, highPriorityPerPairHour } = plans[plan];
      const perMinute = window(`messages.${plan}`, messagesPerMinute, MINUTE, 'planMessagesPerMinute');
      const highPerHour = window(`high.${plan}`, highPriorityPerHour, HOUR, 'planHighPriorityPerHour');
      const highPerPair = window(
        `high_pair.${plan}`,
        highPriorityPerPairHour,
        HOUR,
        'planHighPriorityPerPairHour',
      );
      return [plan, { perMinute, highPerHour, highPerPair }] as const;
    }),
  );
  const inboundPairs = window('inbound_pair', inboundPairPerHour, HOUR, 'rlInboundPairPerHour');

  const judge = async (send: CountedSend, ask: 'peek' | 'take') => {
    const { ownerId, sender, recipient, foreign, priority } = send;
    const plan = plans[send.plan];
    const limiters = ofPlans.get(send.plan);
    const high = isHigh(priority);
    const pair = `${sender} ${recipient}`;
    const perMinute = await limiters?.perMinute?.[ask](ownerId);
    if (refused(perMinute)) {
      const limit = plan.messagesPerMinute ?? 0;
      throw rateLimitExceeded(perMinute, { limit, window_seconds: MINUTE / 1000 });
    }
    for (const other of foreign) {
      const inbound = await inboundPairs?.[ask](`${ownerId} ${other}`);
      if (refused(inbound)) throw limited('inbound_rate_limit', inbound, inboundPairPerHour);
    }
    const ofPair = high ? await limiters?.highPerPair?.[ask](pair) : undefined;
    // Of what is no longer urgent the owner's limit counts nothing.
    const counted = high && !(ask === 'take' && refused(ofPair));
    const ofOwner = counted ? await limiters?.highPerHour?.[ask](ownerId) : undefined;
    const counts = { byOwner: spent(ofOwner), bySenderAndRecipient: spent(ofPair) };
    const verdict = judgePriority(priority, counts, plan);
    if (verdict.kind === 'refused') {
      const wait = refused(ofOwner) ? ofOwner : { retryAfterSec: 1 };
      throw limited('priority_high_rate_limit', wait, verdict.limit);
    }
    return verdict;
  };

  return {
    /** The priority it is stored with, which is lower than asked for once a pair has shouted enough. */
    async take(send: CountedSend): Promise<{ priority: number; downgraded: boolean }> {
      await judge(send, 'peek');
      // Others may have taken the room meanwhile.
      return await judge(send, 'take');
    },
  };
}

function refused(
  verdict: LimitVerdict | undefined,
): verdict is Extract<LimitVerdict, { readonly ok: false }> {
  return verdict?.ok === false;
}

/** A limiter tells only whether there is room; that is all the rule asks. */
const spent = (verdict: LimitVerdict | undefined): number =>
  refused(verdict) ? Number.POSITIVE_INFINITY : 0;

function limited(
  code: 'inbound_rate_limit' | 'priority_high_rate_limit',
  { retryAfterSec, told = '' }: Wait,
  limit: number,
): DeliveryError {
  return new DeliveryError(code, `${DELIVERY_ERRORS[code].message}. ${told}`.trimEnd(), {
    extra: { limit, window_seconds: HOUR / 1000 },
    headers: { 'Retry-After': String(retryAfterSec) },
  });
}
