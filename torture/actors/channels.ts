import type { Actor, ActorPlace } from './actor.ts';

interface Channel {
  readonly id: string;
  readonly token: string;
  readonly participant: string;
  /** How often all channels had been forgotten when it was opened. */
  readonly since: number;
  sent: number;
}

const MOST = 200;

/**
 * Sealed channels live in the memory of one server, or in the Redis of several, and end with that and nothing else: none is half there
 * afterwards. While one lives, what was acknowledged is in it once and in order.
 */
export async function channelActor({ caller, tally, name, forgotten }: ActorPlace): Promise<Actor> {
  let channel: Channel | undefined;

  function gone({ since }: Channel, what: string): void {
    if (forgotten() === since) tally.lost.push(what);
  }

  async function open(): Promise<Channel | undefined> {
    const since = forgotten();
    const { channel_id: id, token } = await caller.must<{ channel_id: string; token: string }>({
      method: 'POST',
      path: '/channels',
      body: {},
    });
    const joined = await caller.once({
      method: 'POST',
      path: `/channels/${id}/join`,
      body: { token, name },
    });
    if (joined?.status !== 200) return undefined;
    const { participant_id: participant } = JSON.parse(joined.body) as { participant_id: string };
    return { id, token, participant, since, sent: 0 };
  }

  async function look(looked: Channel): Promise<void> {
    const { id, token, participant, sent } = looked;
    const query = `token=${token}&participant_id=${participant}&since=0`;
    const answer = await caller.insist({ method: 'GET', path: `/channels/${id}/poll?${query}` });
    if (answer.status !== 200) return gone(looked, `the channel ${id}, read with ${answer.status}`);
    const { messages } = JSON.parse(answer.body) as { messages: { type: string; text: string }[] };
    const found = messages.filter(({ type }) => type === 'message').map(({ text }) => text);
    const wanted = Array.from({ length: sent }, (_, at) => `${id}-${at}`);
    tally.compare(`text of the channel ${id}`, wanted, found);
    if (found.some((text, at) => text !== `${id}-${at}`))
      tally.wrong.push(`the channel ${id} is out of order`);
  }

  return {
    async setUp() {},
    async step() {
      channel ??= await open();
      if (!channel) return;
      const { id, token, participant, sent } = channel;
      const text = `${id}-${sent}`;
      const body = { token, participant_id: participant, text, client_id: text };
      const { status } = await caller.insist({ method: 'POST', path: `/channels/${id}/send`, body });
      if (status !== 200) {
        if (status !== 404 && status !== 410) tally.wrong.push(`a send to a channel was answered ${status}`);
        else gone(channel, `the channel ${id}, after ${sent} texts`);
        channel = undefined;
        return;
      }
      channel.sent++;
      tally.acked('channels');
      if (channel.sent < MOST) return;
      await look(channel);
      channel = undefined;
    },
    async check() {
      if (channel) await look(channel);
    },
  };
}
