import { EnvelopeTooLargeError } from '@parley/protocol/channels/envelope';
import { momentInWords } from '../shared/moment.ts';
import { namesInWords } from '../shared/names.ts';
import { ChannelError } from './channel-api.ts';
import { WrongKeyError } from './membership.ts';
import type { Peer } from './peers.ts';

/** Every sentence that depends on what happened: what it was, what was not lost, what to do. */

const ENDINGS: Record<string, string> = {
  evicted_empty: 'everyone had left',
  evicted_idle: 'nobody spoke for a while',
  evicted_max_lifetime: 'it reached its longest lifetime',
  evicted_max_messages: 'it reached its largest number of messages',
  evicted_max_bytes: 'it reached its largest size',
  evicted_hibernate_expired: 'it had been asleep for too long',
};

export function endingInWords(reason: string): string {
  const why = ENDINGS[reason];
  return why === undefined ? 'This conversation has ended.' : `This conversation has ended because ${why}.`;
}

/** Only what the server told: whether somebody waits for messages, or when they last did. */
export function seenInWords({ listening, seenAt }: Pick<Peer, 'listening' | 'seenAt'>): string {
  if (listening) return 'listening';
  return seenAt === 0 ? '' : `last seen ${momentInWords(seenAt, Date.now())}`;
}

export interface Refusal {
  readonly title: string;
  readonly text: string;
  /** Another try may go better. */
  readonly again: boolean;
}

export function refusalInWords(error: unknown): Refusal {
  if (error instanceof WrongKeyError) {
    return {
      title: 'This link has a different key',
      text: `${namesInWords(error.others)} cannot read what you would write, so you were not joined. Ask for the link again and copy all of it, including the part after the # sign.`,
      again: false,
    };
  }
  if (!(error instanceof ChannelError)) {
    return {
      title: 'No connection',
      text: 'The server cannot be reached right now. Nothing is lost. Check your connection and try again.',
      again: true,
    };
  }
  if (error.status === 404) {
    return {
      title: 'This conversation is over',
      text: `${endingInWords(error.evictedReason)} Ask for a new link to talk again.`,
      again: false,
    };
  }
  if (error.status === 429) {
    return {
      title: 'A moment of patience',
      text: `Too many people joined from your network. ${when(error)}`,
      again: true,
    };
  }
  return JOIN_REFUSALS[error.code] ?? UNKNOWN_REFUSAL;
}

const UNKNOWN_REFUSAL: Refusal = {
  title: 'That did not work',
  text: 'The server could not let you in. Nothing is lost; try again in a moment.',
  again: true,
};

const JOIN_REFUSALS: Record<string, Refusal> = {
  channel_full: {
    title: 'No seat is free',
    text: 'As many are in this conversation as fit. Try again when somebody has left.',
    again: true,
  },
  name_taken: {
    title: 'That name is taken',
    text: 'Somebody here has this name or one that looks like it.',
    again: true,
  },
  invalid_name: {
    title: 'That name cannot be used',
    text: 'Try a shorter one, with letters and digits.',
    again: true,
  },
};

export function sendProblemInWords(error: unknown): string {
  return `Not sent: ${whyNotSent(error)}`;
}

function whyNotSent(error: unknown): string {
  if (error instanceof EnvelopeTooLargeError) return TOO_LARGE;
  if (!(error instanceof ChannelError)) return 'no connection to the server.';
  if (error.status === 429) return `too many messages at once. ${when(error)}`;
  if (error.code === 'participant_not_in_channel' || error.hibernating)
    return 'you were no longer connected.';
  if (error.status === 404) return 'the conversation has ended.';
  if (error.code === 'text_too_large' || error.status === 413) return TOO_LARGE;
  return 'the server could not take it.';
}

const TOO_LARGE = 'the message is too large.';

function when(error: ChannelError): string {
  const seconds = error.retryAfterSeconds;
  if (seconds === 0) return 'Try again later.';
  return seconds < 120 ? `Try again in ${seconds} s.` : `Try again in ${Math.ceil(seconds / 60)} min.`;
}
