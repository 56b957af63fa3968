import type {
  CreateAnswer,
  JoinAnswer,
  LeaveAnswer,
  PollAnswer,
  SendAnswer,
} from '@parley/protocol/channels/types';
import { expect, vi } from 'vitest';
import { type Answer, type Call, HttpClient } from './http-client.ts';

/** Sealed channels over plain HTTP. */
export class ChannelClient extends HttpClient {
  async create(call: Call = {}): Promise<Channel> {
    const { body } = await this.call<CreateAnswer>('POST', '/channels', call);
    return new Channel(this, body.channel_id, body.token);
  }

  /** A channel with two participants. */
  async pair(): Promise<{ channel: Channel; a: Peer; b: Peer }> {
    const channel = await this.create();
    return { channel, a: await channel.join('a'), b: await channel.join('b') };
  }

  /** Waits until exactly this many polls are parked. */
  async parked(count: number): Promise<void> {
    // Not expect.poll, which tests that run side by side cannot use.
    const check = async (): Promise<void> => expect(await this.metric('agentalk_polls_parked')).toBe(count);
    await vi.waitFor(check, { timeout: 60_000, interval: 2 });
  }
}

export class Channel {
  readonly client: ChannelClient;
  readonly id: string;
  readonly token: string;

  constructor(client: ChannelClient, id: string, token: string) {
    this.client = client;
    this.id = id;
    this.token = token;
  }

  get path(): string {
    return `/channels/${this.id}`;
  }

  tryJoin(name: unknown, more: object = {}, call: Call = {}): Promise<Answer<JoinAnswer>> {
    return this.client.post<JoinAnswer>(`${this.path}/join`, { token: this.token, name, ...more }, call);
  }

  async join(name: string, more: object = {}): Promise<Peer> {
    const answer = await this.tryJoin(name, more);
    if (answer.status !== 200) throw new Error(`join as ${name}: ${answer.status} ${answer.text}`);
    return new Peer(this, name, answer.body.participant_id, answer.body.cursor ?? 0);
  }
}

export class Peer {
  readonly channel: Channel;
  readonly name: string;
  readonly id: string;
  readonly cursor: number;

  constructor(channel: Channel, name: string, id: string, cursor: number) {
    this.channel = channel;
    this.name = name;
    this.id = id;
    this.cursor = cursor;
  }

  get #secrets() {
    return { token: this.channel.token, participant_id: this.id };
  }

  send(text: unknown, more: object = {}, call: Call = {}): Promise<Answer<SendAnswer>> {
    const body = { ...this.#secrets, text, ...more };
    return this.channel.client.post<SendAnswer>(`${this.channel.path}/send`, body, call);
  }

  poll(query: Call['query'] = {}, call: Call = {}): Promise<Answer<PollAnswer>> {
    return this.channel.client.call<PollAnswer>('GET', `${this.channel.path}/poll`, {
      ...call,
      query: { ...this.#secrets, ...query },
    });
  }

  leave(call: Call = {}): Promise<Answer<LeaveAnswer>> {
    return this.channel.client.post<LeaveAnswer>(`${this.channel.path}/leave`, this.#secrets, call);
  }
}
