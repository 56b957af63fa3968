import { text } from '@parley/protocol/delivery/fields';
import { MAX_EXECUTED_VIA } from '@parley/protocol/delivery/limits';
import type { OutcomeReport } from '@parley/protocol/delivery/types';
import type { Channel, DeliveryRoute } from '@parley/protocol/delivery/vocabulary';
import type { ExecutionRow } from '../records/execution-row.ts';

/** What the server can prove of where the work was done: whether a live session attested it, and the way it went. */
export type ExecutionFacts = Pick<ExecutionRow, 'live_claimed_at' | 'channel' | 'route'>;

/** What an outcome says of it. Older handlers put `executed_via` inside the metadata. */
export type Told = Pick<OutcomeReport, 'executed_via' | 'delivery_route' | 'metadata'>;

export interface Settled {
  readonly executedVia: string | null;
  /** As it was told, when that is not what is stored. */
  readonly reported: string | null;
  readonly route: DeliveryRoute | null;
  readonly reason: 'live_not_attested' | null;
}

const BY_CHANNEL: Readonly<Record<Channel, string>> = {
  live: 'live_unverified',
  bg: 'background',
  webhook: 'webhook',
  inbox: 'inbox',
};

/** Metadata may hold anything; only what could stand at the top counts. */
const VIA = text(MAX_EXECUTED_VIA);

export function settleExecutedVia(facts: ExecutionFacts, told: Told): Settled {
  const claimed = told.executed_via ?? VIA.safeParse(told.metadata?.executed_via).data ?? null;
  if (claimed === 'live') {
    return isAttested(facts)
      ? { executedVia: 'live', reported: null, route: 'live', reason: null }
      : {
          executedVia: 'live_unverified',
          reported: 'live',
          route: 'live_unverified',
          reason: 'live_not_attested',
        };
  }
  return {
    executedVia: claimed ?? unsaid(facts),
    reported: null,
    route: settledRoute(facts, told.delivery_route),
    reason: null,
  };
}

const isAttested = ({ live_claimed_at: at }: ExecutionFacts): boolean => at !== null;

function unsaid(facts: ExecutionFacts): string | null {
  const { channel } = facts;
  if (isAttested(facts)) return 'live';
  return channel === null ? null : BY_CHANNEL[channel];
}

/** The server's own value wins. A handler may only claim less than it: never that something was live. */
function settledRoute(facts: ExecutionFacts, told: Told['delivery_route']): DeliveryRoute | null {
  const { route } = facts;
  const pushed = route === 'live' || route === 'live_unverified' || route?.startsWith('background_');
  if (told === 'live_unverified' && route === 'live') return told;
  if (told?.startsWith('background_') && pushed && !isAttested(facts)) return told;
  return route;
}
