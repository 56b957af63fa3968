import { ChannelError } from '../channel-error.ts';
import { TransportError } from '../transport.ts';
import { needed, ShellError } from './environment.ts';

/** What went wrong with a request, in words for whoever ran the bootstrap. */
export async function explained<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof TransportError) {
      throw new ShellError(`${needed('BRIDGE_URL')} cannot be reached (network_unreachable)`);
    }
    if (error instanceof ChannelError) throw new ShellError(inWords(error));
    throw error;
  }
}

function inWords(error: ChannelError): string {
  if (error.gone) {
    const why = error.evictedReason
      ? `${error.evictedReason}, ${error.evictedSecondsAgo ?? '?'} s ago`
      : error.code;
    return `the channel is gone (${why}), or the link is not complete; ask for a new one`;
  }
  const wait = error.retryAfterSeconds === undefined ? '' : `; try again in ${error.retryAfterSeconds} s`;
  return `${error.message}${wait}`;
}
