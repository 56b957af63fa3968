import { text } from '@parley/protocol/delivery/fields';
import { MAX_EXECUTED_VIA } from '@parley/protocol/delivery/limits';
import type { Channel, DeliveryRoute } from '@parley/protocol/delivery/vocabulary';

/** What an outcome says about where the work was done, against what the server can prove. */
export interface ExecutionFacts {
  /** A live session attested it. */
  readonly attested: boolean;
  readonly channel: Channel | null;
  readonly route: DeliveryRoute | null;
}

export interface Told {
  readonly executedVia: string | null;
  /** `executed_via` inside the metadata, where older handlers put it. */
  readonly metadataVia: unknown;
  readonly route: DeliveryRoute | null;
}

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
  const claimed = told.executedVia ?? VIA.safeParse(told.metadataVia).data ?? null;
  if (claimed === 'live') {
    return facts.attested
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
    route: settledRoute(facts, told.route),
    reason: null,
  };
}

function unsaid({ attested, channel }: ExecutionFacts): string | null {
  if (attested) return 'live';
  return channel === null ? null : BY_CHANNEL[channel];
}

/** The server's own value wins. A handler may only claim less than it: never that something was live. */
function settledRoute({ attested, route }: ExecutionFacts, told: DeliveryRoute | null): DeliveryRoute | null {
  const pushed = route === 'live' || route === 'live_unverified' || route?.startsWith('background_');
  if (told === 'live_unverified' && route === 'live') return told;
  if (told?.startsWith('background_') && pushed && !attested) return told;
  return route;
}
