import { EnvelopeTooLargeError } from '@parley/protocol/channels/envelope';
import { JoinUrlError } from '@parley/protocol/channels/join-url';
import { KeyFormatError } from '@parley/protocol/channels/key';
import { KeyMismatchError } from '@parley/sdk/channels';
import { ChannelError } from '@parley/sdk/channels/channel-error';
import { TransportError } from '@parley/sdk/channels/transport';
import { CliError, EXIT } from '../cli-error.ts';

/** A failed call in the words of the event lines: `SEND_FAILED error=<code>[ evicted_reason=<r>]`. */
export function failure(word: 'CREATE' | 'JOIN' | 'SEND' | 'LEAVE', error: unknown): unknown {
  const line = (rest: string): string => `agentalk: ${word}_FAILED error=${rest}`;
  if (error instanceof ChannelError) return refused(error, line);
  if (error instanceof TransportError) {
    return new CliError('network_unreachable', line(`network_unreachable${why(error.cause)}`), {
      cause: error,
    });
  }
  if (error instanceof KeyMismatchError) {
    return new CliError('key_mismatch', line(`key_mismatch: ${error.message}`), {
      details: { peers: error.peers },
    });
  }
  const code = localCode(error);
  return code && error instanceof Error ? new CliError(code, line(`${code}: ${error.message}`)) : error;
}

/** `connect ECONNREFUSED 127.0.0.1:7330` tells more than that nobody answered. */
function why(cause: unknown): string {
  return cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
}

function refused(error: ChannelError, line: (rest: string) => string): CliError {
  const { code, gone, evictedReason, retryAfterSeconds } = error;
  const reason = evictedReason === undefined ? '' : ` evicted_reason=${evictedReason}`;
  const retry = retryAfterSeconds === undefined ? '' : ` retry_after=${retryAfterSeconds}`;
  return new CliError(code, line(`${code}${reason}${retry}`), {
    exitCode: gone ? EXIT.gone : EXIT.failed,
    cause: error,
    details: {
      ...(evictedReason === undefined ? {} : { evicted_reason: evictedReason }),
      ...(retryAfterSeconds === undefined ? {} : { retry_after_sec: retryAfterSeconds }),
    },
  });
}

function localCode(error: unknown): string | undefined {
  if (error instanceof EnvelopeTooLargeError) return 'text_too_large';
  if (error instanceof JoinUrlError) return 'invalid_url';
  if (error instanceof KeyFormatError) return 'invalid_key';
  return undefined;
}

/** The server itself says that the channel has ended; a page of some proxy does not. */
export function saysGone(error: unknown): boolean {
  return error instanceof ChannelError && error.gone && error.code === 'channel_or_token_invalid';
}
