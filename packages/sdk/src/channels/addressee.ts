import { cleanName } from '@parley/protocol/channels/event-lines';
import { ChannelError } from './channel-error.ts';
import type { ChannelClient } from './client.ts';
import type { Identity } from './identity.ts';
import { TransportError } from './transport.ts';

/**
 * Whom a direct message is for. Event lines show a name without its spaces, and that is what one copies from them: a name
 * that nobody here has stands for the one member who is shown so.
 */
export function addressee(given: string, names: readonly string[]): string {
  if (names.includes(given)) return given;
  const [only, ...others] = names.filter((name) => cleanName(name) === given);
  return only === undefined || others.length > 0 ? given : only;
}

/** The same among those who are present. Who cannot be asked for leaves the name as it was given. */
export async function presentAddressee(
  client: ChannelClient,
  identity: Readonly<Identity>,
  given: string,
): Promise<string> {
  return addressee(given, (await presentNames(client, identity)) ?? []);
}

/** Who is in the channel; undefined when the server does not tell. */
export async function presentNames(
  client: ChannelClient,
  { channelId, token, participantId }: Readonly<Identity>,
): Promise<string[] | undefined> {
  try {
    const { roster } = await client.poll(channelId, {
      token,
      participant_id: participantId,
      // Past every event: only who is here is asked for, and at once.
      since: Number.MAX_SAFE_INTEGER,
      wait: 0,
      roster: true,
    });
    return roster?.map(({ name }) => name);
  } catch (error) {
    if (error instanceof ChannelError || error instanceof TransportError) return undefined;
    throw error;
  }
}
