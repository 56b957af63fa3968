import { RATE_WINDOW_MS } from '@parley/protocol/rooms/limits';
import type { Config } from '../config/settings.ts';
import type { Limiter } from '../platform/limits/limiter.ts';
import type { Limits } from '../platform/limits/limits.ts';
import { sparingLoopback } from '../platform/limits/sparing-loopback.ts';
import { rateLimited } from '../wire/rooms/errors.ts';

/** Rates of the rooms protocol, each over a sliding minute. */
export interface RoomLimiters {
  /** Accepted messages only. */
  readonly messagesOfAgent: Limiter;
  /** Accepted messages only. */
  readonly messagesOfRoom: Limiter;
  readonly messageAttempts: Limiter;
  readonly listings: Limiter;
  readonly wrongCodes: Limiter;
  readonly typing: Limiter;
  /** For the streams. */
  readonly eventConnects: Limiter;
  readonly eventConnectsOfAddress: Limiter;
}

export function roomLimiters(limits: Limits, config: Config): RoomLimiters {
  const perMinute = (name: string, limit: number): Limiter =>
    limits.slidingWindow(`rooms.${name}`, { limit, windowMs: RATE_WINDOW_MS });
  const perAddress = (name: string, limit: number): Limiter =>
    sparingLoopback(perMinute(name, limit), config.rlExemptLoopback);
  return {
    messagesOfAgent: perMinute('messages_agent', config.rlRoomMessagesPerAgent),
    messagesOfRoom: perMinute('messages_room', config.rlRoomMessagesPerRoom),
    messageAttempts: perAddress('message_attempts', config.rlRoomMessageAttempts),
    listings: perMinute('listings', config.rlListingsPerAgent),
    wrongCodes: perMinute('wrong_codes', config.rlHumanCodeFailures),
    typing: perMinute('typing', config.rlRoomTyping),
    eventConnects: perMinute('event_connects', config.rlRoomEventConnects),
    eventConnectsOfAddress: perAddress('event_connects_address', config.rlRoomEventConnectsPerIp),
  };
}

export async function spend(limiter: Limiter, key: string): Promise<void> {
  const verdict = await limiter.take(key);
  if (!verdict.ok) throw rateLimited(verdict.retryAfterSec);
}

/** Refuses what would be refused, without counting it. */
export async function mustHaveLeft(limiter: Limiter, key: string): Promise<void> {
  const verdict = await limiter.peek(key);
  if (!verdict.ok) throw rateLimited(verdict.retryAfterSec);
}
