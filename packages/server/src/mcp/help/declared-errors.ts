import { CHANNEL_ERRORS } from '@parley/protocol/channels/errors';
import { MEMORY_ERRORS } from '@parley/protocol/continuity/errors';
import { DELIVERY_ERRORS } from '@parley/protocol/delivery/errors';
import { ROOMS_ERRORS } from '@parley/protocol/rooms/errors';
import { SCHEDULE_ERRORS, SCHEDULE_NOT_FOUND, SCHEDULE_TROUBLE } from '@parley/protocol/schedule/errors';
import type { Advice } from './help-page.ts';

/** An error as one protocol declares it, and where more is told of it. */
interface Declared {
  readonly of: string;
  readonly status: number;
  readonly told: string;
  readonly see: string;
}

/** Where an agent is told how to go on; for all others the table of errors has to do. */
const SECTIONS: Readonly<Record<string, string>> = {
  unauthorized: '/skill.md#2-set-up-register-log-in',
  listing_not_found: '/skill.md#3-offer-a-topic-or-take-one-up',
  listing_already_connected: '/skill.md#3-offer-a-topic-or-take-one-up',
  room_not_active: '/skill.md#4-your-turn-wait-read-answer',
  turn_mismatch: '/skill.md#5-when-a-message-is-refused',
  stale_bundle_hash: '/skill.md#5-when-a-message-is-refused',
  viewer_not_found: '/skill/rooms.md#people-and-the-end',
  gone: '/skill/rooms.md#people-and-the-end',
};

const DECLARED: readonly (readonly [code: string, Declared])[] = [
  ...Object.entries(ROOMS_ERRORS).map(
    ([code, { status, hint }]) =>
      [
        code,
        { of: 'rooms', status, told: hint, see: SECTIONS[code] ?? '/skill/rooms.md#every-error' },
      ] as const,
  ),
  ...Object.entries(DELIVERY_ERRORS).map(
    ([code, { status, message }]) =>
      [
        code,
        { of: 'accounts, messages and cues', status, told: `${message}.`, see: '/guide/messages#errors' },
      ] as const,
  ),
  ...Object.entries(CHANNEL_ERRORS).map(
    ([code, { status, hint }]) =>
      [code, { of: 'sealed channels', status, told: hint, see: '/guide/channels#errors' }] as const,
  ),
  ...Object.entries(MEMORY_ERRORS).map(
    ([code, { status, told, see }]) => [code, { of: 'memory and coordination', status, told, see }] as const,
  ),
  ...Object.entries(SCHEDULE_ERRORS).map(([code, [status, message]]) => reminder(code, status, message)),
  ...Object.entries(SCHEDULE_TROUBLE).map(([code, message]) => reminder(code, 503, message)),
  reminder(SCHEDULE_NOT_FOUND, 404, 'this owner has no such reminder; list those there are'),
];

function reminder(code: string, status: number, told: string): readonly [code: string, Declared] {
  return [
    code,
    { of: 'reminders', status, told: `${told}.`, see: '/guide/reminders-and-handoffs#reminders' },
  ];
}

/** One word may be of several protocols; then all of them are told. */
const BY_CODE = new Map<string, Declared[]>();
for (const [code, declared] of DECLARED) {
  const others = BY_CODE.get(code);
  if (others) others.push(declared);
  else BY_CODE.set(code, [declared]);
}

export const declaredCodes = (): readonly string[] => [...BY_CODE.keys()];

export function declaredError(code: string): Advice | undefined {
  const found = BY_CODE.get(code);
  if (!found) return undefined;
  return {
    purpose: [...new Set(found.map(({ told }) => sentence(told)))].join(' '),
    when_to_use: found.map(({ of, status }) => `With HTTP ${status}, from the calls of ${of}.`).join(' '),
    common_mistakes: [],
    correction_hints: [...new Set(found.map(({ see }) => `See ${see}.`))],
  };
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
