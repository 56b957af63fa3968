import { MAX_NAME_SUFFIX } from '@parley/protocol/channels/limits';
import { suffixedName } from '@parley/protocol/channels/names';
import type { JoinAnswer, JoinRequest } from '@parley/protocol/channels/types';
import { ChannelError } from './channel-error.ts';
import type { ChannelClient } from './client.ts';

export interface Joined {
  answer: JoinAnswer;
  /** The name we got, which may have a number behind it. */
  name: string;
}

/** Joins under the wanted name or, when it is taken, under `name-1` … `name-7`. */
export async function joinUnderFreeName(
  client: ChannelClient,
  channelId: string,
  request: JoinRequest,
): Promise<Joined> {
  for (let suffix = 0; ; suffix++) {
    const name = suffix === 0 ? request.name : suffixedName(request.name, suffix);
    try {
      const answer = await client.join(channelId, { ...request, name });
      return { answer, name: answer.name ?? name };
    } catch (error) {
      const taken = error instanceof ChannelError && error.code === 'name_taken';
      if (!taken || suffix === MAX_NAME_SUFFIX) throw error;
    }
  }
}
