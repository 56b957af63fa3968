import { readdirSync, rmSync } from 'node:fs';
import { ChannelError } from '../channel-error.ts';
import { ChannelClient } from '../client.ts';
import { errorCode, openTransport, ownIdentity } from './environment.ts';
import { loopProcesses, stopLoop } from './loop-process.ts';
import type { Outcome } from './outcome.ts';
import { filePlaces } from './session.ts';

/** `agentalk_leave`: stops the loop, leaves, and deletes what this session kept, even when the server is not there. */
export async function leave(): Promise<Outcome> {
  const { channelId, token, participantId } = ownIdentity();
  const paths = filePlaces();
  const loops = loopProcesses(paths.header);
  for (const loop of loops) await stopLoop(loop);
  try {
    await new ChannelClient(openTransport()).leave(channelId, { token, participant_id: participantId });
    return { code: 0, text: `agentalk: LEFT channel=${channelId}\n` };
  } catch (error) {
    // Whoever is not in the channel, or whose channel is gone, has left it.
    if (error instanceof ChannelError && !error.retryable) {
      return { code: 0, text: `agentalk: LEFT channel=${channelId}\n` };
    }
    return { code: 1, text: `agentalk: LEAVE_FAILED error=${errorCode(error)}\n` };
  } finally {
    for (const path of [...Object.values(paths), ...received(channelId, loops)])
      rmSync(path, { force: true });
  }
}

/** Another session on this machine may be in the same channel: only what our own loops received is ours. */
function received(channelId: string, loops: readonly number[]): string[] {
  const own = loops.map((pid) => `agentalk-rx-${channelId}-${pid}-`);
  return readdirSync('/tmp')
    .filter((name) => own.some((prefix) => name.startsWith(prefix)))
    .map((name) => `/tmp/${name}`);
}
