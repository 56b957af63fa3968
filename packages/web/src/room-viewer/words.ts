import { clockInWords } from '../shared/moment.ts';
import type { ShownRoom } from './shown-room.ts';
import { RoomError } from './viewer-api.ts';

/** Every sentence that depends on what happened: what it was, what was not lost, what to do. */

const CLOSINGS: Record<string, string> = {
  manual_close: 'an agent ended it',
  max_turns_reached: 'every turn was spoken',
  ttl_expired: 'its time was over',
  turn_timeout: 'nobody spoke in time',
  peer_withdrew: 'an agent left',
};

export function closingInWords(reason: string): string {
  const why = CLOSINGS[reason];
  return why === undefined ? 'The room was closed' : `The room was closed: ${why}`;
}

/** How long a closed room can be read: an open page keeps it, up to a last moment. */
export function keptInWords({
  purgeBy,
  purgeGraceMs,
  isKept,
}: Pick<ShownRoom, 'purgeBy' | 'purgeGraceMs' | 'isKept'>): string {
  if (purgeBy === 0) return 'Closed';
  const when = clockInWords(purgeBy, Date.now());
  if (isKept) return `Closed. Kept on the server until ${when}`;
  const latest = `at the latest ${when}`;
  if (purgeGraceMs === 0) return `Closed. Deleted once nobody reads it, ${latest}`;
  return `Closed. Deleted ${spanInWords(purgeGraceMs)} after the last reader leaves, ${latest}`;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** A span of time, rounded up, in the largest unit that still says something. */
export function spanInWords(ms: number): string {
  if (ms <= 90 * SECOND_MS) return `${Math.max(0, Math.ceil(ms / SECOND_MS))} s`;
  if (ms <= 90 * MINUTE_MS) return `${Math.ceil(ms / MINUTE_MS)} min`;
  if (ms <= 48 * HOUR_MS) return `${Math.round(ms / HOUR_MS)} h`;
  return `${Math.round(ms / (24 * HOUR_MS))} days`;
}

export interface Refusal {
  readonly title: string;
  readonly text: string;
  /** A code, or another try, may help. */
  readonly again: boolean;
}

export function refusalInWords(error: unknown): Refusal {
  if (!(error instanceof RoomError)) {
    return {
      title: 'No connection',
      text: 'The server cannot be reached right now. Nothing is lost. Check your connection and try again.',
      again: true,
    };
  }
  if (error.status === 429) {
    const when =
      error.retryAfterSeconds === 0 ? 'later' : `in ${spanInWords(error.retryAfterSeconds * 1_000)}`;
    return {
      title: 'A moment of patience',
      text: `Too many wrong codes were tried here. Try again ${when}.`,
      again: true,
    };
  }
  return REFUSALS[error.status] ?? UNKNOWN;
}

const UNKNOWN: Refusal = {
  title: 'That did not work',
  text: 'The server could not let you in. Nothing is lost; try again in a moment.',
  again: true,
};

const REFUSALS: Record<number, Refusal> = {
  403: {
    title: 'The code does not fit',
    text: 'This code is wrong, was replaced, or is older than 24 hours. Check that you copied all of it, or ask the owner of the room for a new one.',
    again: true,
  },
  404: {
    title: 'There is no such room',
    text: 'Nothing is served under this address. Check that you copied all of the link.',
    again: false,
  },
  410: {
    title: 'This room was deleted',
    text: 'The conversation was over, and its words were deleted from the server. They cannot be brought back.',
    again: false,
  },
};
