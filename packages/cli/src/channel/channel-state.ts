import { ChannelClient } from '@parley/sdk/channels/client';
import { ChannelError } from '@parley/sdk/channels/channel-error';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { TransportError } from '@parley/sdk/channels/transport';
import { saysGone } from './failures.ts';
import type { StoredSession } from './stored-session.ts';

/**
 * What the server says of a kept channel:
 *   open         it is there, whether or not we still are
 *   asleep       nobody is there; a join wakes it
 *   gone         it has ended, or the server started anew; nothing brings it back
 *   unreachable  nobody answered, or not as a server of channels does
 */
export type ChannelState = 'open' | 'asleep' | 'gone' | 'unreachable';

/** A person waits for the whole list; a server that takes longer is of no use now. */
const PATIENCE_MS = 5_000;

/** Asked as nobody: looking must neither keep a channel alive nor pass for listening. */
const NOBODY = '0';

export async function channelState({ server, channelId, token }: StoredSession): Promise<ChannelState> {
  const transport = new NodeTransport(server);
  try {
    await new ChannelClient(transport).poll(channelId, {
      token,
      participant_id: NOBODY,
      since: 0,
      wait: 0,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return 'open';
  } catch (error) {
    if (saysGone(error)) return 'gone';
    if (error instanceof ChannelError && error.hibernating) return 'asleep';
    if (error instanceof ChannelError && error.code === 'participant_not_in_channel') return 'open';
    if (error instanceof ChannelError || error instanceof TransportError) return 'unreachable';
    throw error;
  } finally {
    transport.close();
  }
}
