import type { PollAnswer } from '@parley/protocol/channels/types';
import type { ChannelClient } from '../client.ts';
import type { Identity } from '../identity.ts';

/** Where the events come from: long polling or a stream. */
export interface Feed {
  /** The events from `since` on. An empty answer means that nothing happened for a while. */
  next(since: number, signal: AbortSignal): Promise<PollAnswer>;
}

export class PollFeed implements Feed {
  readonly #client: ChannelClient;
  readonly #identity: Readonly<Identity>;

  constructor(client: ChannelClient, identity: Readonly<Identity>) {
    this.#client = client;
    this.#identity = identity;
  }

  next(since: number, signal: AbortSignal): Promise<PollAnswer> {
    const { channelId, token, participantId } = this.#identity;
    return this.#client.poll(channelId, {
      token,
      participant_id: participantId,
      since,
      roster: true,
      signal,
    });
  }
}
