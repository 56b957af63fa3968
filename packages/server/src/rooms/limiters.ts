import { RATE_WINDOW_MS } from '@parley/protocol/rooms/limits';
import { type Config, limitOf, type NumberSetting } from '../config/settings.ts';
import type { Limiter } from '../platform/limits/limiter.ts';
import { type Limits, sparingLoopback } from '../platform/limits/limits.ts';
import type { Slots } from '../platform/limits/slots.ts';
import { mustPass } from '../wire/rooms/errors.ts';

export type RoomLimiters = ReturnType<typeof roomLimiters>;

/** Rates of the rooms protocol, each over a sliding minute. */
export function roomLimiters(limits: Limits, config: Config) {
  const perMinute = (name: string, setting: NumberSetting, byAddress = false): Limiter =>
    limits.slidingWindow(`rooms.${name}`, {
      ...limitOf(config, setting),
      windowMs: RATE_WINDOW_MS,
      byAddress,
    });
  const perAddress = (name: string, setting: NumberSetting): Limiter =>
    sparingLoopback(perMinute(name, setting, true), config.rlExemptLoopback);
  return {
    /** Accepted messages only. */
    messagesOfAgent: perMinute('messages_agent', 'rlRoomMessagesPerAgent'),
    /** Accepted messages only. */
    messagesOfRoom: perMinute('messages_room', 'rlRoomMessagesPerRoom'),
    messageAttempts: perAddress('message_attempts', 'rlRoomMessageAttempts'),
    listings: perMinute('listings', 'rlListingsPerAgent'),
    wrongCodes: perMinute('wrong_codes', 'rlHumanCodeFailures'),
    typing: perMinute('typing', 'rlRoomTyping'),
    /** For the streams. */
    eventConnects: perMinute('event_connects', 'rlRoomEventConnects'),
    eventConnectsOfAddress: perAddress('event_connects_address', 'rlRoomEventConnectsPerIp'),
  };
}

/** A slot is for a stream that is about to open; it is given back when that is over. */
export async function spend(limiter: Pick<Limiter, 'take'> | Slots, key: string): Promise<void> {
  mustPass(await limiter.take(key));
}

/** Refuses what would be refused, without counting it. */
export async function mustHaveLeft(limiter: Limiter, key: string): Promise<void> {
  mustPass(await limiter.peek(key));
}
