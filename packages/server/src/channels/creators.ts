import { CONCURRENT_RETRY_AFTER_SECONDS } from '@parley/protocol/channels/limits';
import { variableName } from '../config/settings.ts';
import { toldLimit } from '../platform/limits/limiter.ts';
import { rateLimited } from './errors.ts';
import type { ChannelSettings } from './settings.ts';

/** Creates are refused from this share of the global byte budget on; above the budget itself the idle go. */
export const CREATE_SHARE = 0.9;

/** Throws when an address that holds so many live channels may not create another now. */
export function admitCreator(
  { limited, concurrentPerAddress, globalMaxBytes }: ChannelSettings,
  address: string,
  { held, retainedBytes }: { held: number; retainedBytes: number },
): void {
  const retryAfterSec = CONCURRENT_RETRY_AFTER_SECONDS;
  const most = concurrentPerAddress(address);
  if (limited && held >= most) {
    const told = toldLimit(most, undefined, variableName('rlConcurrentChannelsPerIp'));
    throw rateLimited({ retryAfterSec, told }, 'concurrent_channels_limit');
  }
  const full = retainedBytes >= globalMaxBytes * CREATE_SHARE;
  const told = `All channels together hold as much as they may (${variableName('chGlobalMaxBytes')}).`;
  if (full) throw rateLimited({ retryAfterSec, told });
}
