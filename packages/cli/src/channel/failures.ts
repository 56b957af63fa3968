import { EnvelopeTooLargeError } from '@parley/protocol/channels/envelope';
import { JoinUrlError } from '@parley/protocol/channels/join-url';
import { KeyFormatError } from '@parley/protocol/channels/key';
import { KeyMismatchError } from '@parley/sdk/channels';
import { ChannelError } from '@parley/sdk/channels/channel-error';
import { TransportError } from '@parley/sdk/channels/transport';
import { CliError, EXIT, exitCodeOf, NO_SERVER, why } from '../cli-error.ts';

/** A failed call in the words of the event lines: `SEND_FAILED error=<code>[ evicted_reason=<r>]`. */
export function failure(word: 'CREATE' | 'JOIN' | 'SEND' | 'LEAVE', error: unknown): unknown {
  const line = (rest: string): string => `agentalk: ${word}_FAILED error=${rest}`;
  if (error instanceof ChannelError) return refused(error, line);
  if (error instanceof TransportError) {
    return new CliError('network_unreachable', line(`network_unreachable${why(error.cause)}`), {
      hint: word === 'CREATE' ? NO_SERVER : 'is the server running, and can it be reached from here?',
      cause: error,
    });
  }
  if (error instanceof KeyMismatchError) {
    return new CliError('key_mismatch', line(`key_mismatch: ${error.message}`), {
      details: { peers: error.peers },
    });
  }
  const code = localCode(error);
  if (!code || !(error instanceof Error)) return error;
  return new CliError(code, line(`${code}: ${error.message}`), { hint: LOCAL_HINTS[code] });
}

function refused(error: ChannelError, line: (rest: string) => string): CliError {
  const { code, gone, evictedReason, retryAfterSeconds } = error;
  const reason = evictedReason === undefined ? '' : ` evicted_reason=${evictedReason}`;
  const retry = retryAfterSeconds === undefined ? '' : ` retry_after=${retryAfterSeconds}`;
  return new CliError(code, line(`${code}${reason}${retry}`), {
    exitCode: gone ? EXIT.gone : error.hibernating ? EXIT.failed : exitCodeOf(code, error.status),
    hint: gone
      ? 'the channel is over; ask for a new link, or make one with "parley channel create"'
      : undefined,
    cause: error,
    details: {
      ...(evictedReason === undefined ? {} : { evicted_reason: evictedReason }),
      ...(retryAfterSeconds === undefined ? {} : { retry_after_sec: retryAfterSeconds }),
    },
  });
}

const LOCAL_HINTS = {
  text_too_large: 'say it in several messages',
  invalid_url: 'give the whole link, in quotes: http…/c/…?token=…#k=…',
  invalid_key: 'copy the link again, up to its last character',
};

function localCode(error: unknown): keyof typeof LOCAL_HINTS | undefined {
  if (error instanceof EnvelopeTooLargeError) return 'text_too_large';
  if (error instanceof JoinUrlError) return 'invalid_url';
  if (error instanceof KeyFormatError) return 'invalid_key';
  return undefined;
}

/** The server itself says that the channel has ended; a page of some proxy does not. */
export function saysGone(error: unknown): boolean {
  return error instanceof ChannelError && error.gone && error.code === 'channel_or_token_invalid';
}
