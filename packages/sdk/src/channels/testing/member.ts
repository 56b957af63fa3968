import { textEnvelope } from '@parley/protocol/channels/content';
import { type ChannelEvent, eventLine } from '@parley/protocol/channels/event-lines';
import { keyFingerprint, newKey } from '@parley/protocol/channels/key';
import type { JsonObject } from '@parley/protocol/json';
import type { Clock } from '../clock.ts';
import { ChannelClient } from '../client.ts';
import type { Membership } from '../identity.ts';
import { type Link, openLink } from '../link.ts';
import { Listener, type ListenerEnd, type ListenerOptions } from '../listening/listener.ts';
import { NodeTransport } from '../node-transport.ts';
import type { Transport } from '../transport.ts';
import { expect } from 'vitest';

export interface Room {
  url: string;
  channelId: string;
  token: string;
  key: string;
  clock: Clock;
}

export async function newRoom(url: string, clock: Clock): Promise<Room> {
  const { channel_id: channelId, token } = await new ChannelClient(new NodeTransport(url)).create();
  return { url, channelId, token, key: newKey(), clock };
}

export interface MemberOptions {
  transport?: Transport;
  /** `null`: tells none. */
  keyFp?: string | null;
  key?: string;
  loadIdentity?: () => Membership | undefined;
}

/** One participant on a real server, with everything its listener told. */
export class Member {
  readonly link: Link;
  readonly events: ChannelEvent[] = [];
  readonly files: string[] = [];
  readonly cursors: number[] = [];
  readonly saved: readonly Membership[];
  readonly debug: string[] = [];
  listener: Listener | undefined;
  /** Called with each line while the listener tells it, so that it can be stopped right there. */
  onLine: ((line: string) => void) | undefined;
  #waiting: (() => void)[] = [];

  private constructor(link: Link, saved: readonly Membership[]) {
    this.link = link;
    this.saved = saved;
  }

  static async join(room: Room, name: string, options: MemberOptions = {}): Promise<Member> {
    const { channelId, token, clock } = room;
    const key = options.key ?? room.key;
    const transport = options.transport ?? new NodeTransport(room.url);
    const keyFp = options.keyFp === undefined ? await keyFingerprint(key) : options.keyFp;
    const joined = await new ChannelClient(transport).join(channelId, {
      token,
      name,
      ...(keyFp === null ? {} : { key_fp: keyFp }),
    });
    const saved: Membership[] = [];
    const identity = { channelId, token, key, name, participantId: joined.participant_id };
    const storage = {
      saveIdentity: (membership: Membership) => void saved.push(membership),
      ...(options.loadIdentity && { loadIdentity: options.loadIdentity }),
    };
    return new Member(await openLink({ transport, identity, clock, storage }), saved);
  }

  get lines(): string[] {
    return this.events.map((event) => eventLine(event).replace('agentalk: ', ''));
  }

  listen(options: Partial<ListenerOptions> = {}): Promise<ListenerEnd> {
    this.listener = new Listener({
      link: this.link,
      host: {
        emit: (event) => {
          this.events.push(event);
          this.onLine?.(this.lines.at(-1) ?? '');
          this.#changed();
        },
        writeMessageFile: (text) => `/rx/${this.files.push(text)}`,
        saveCursor: (cursor) => void this.cursors.push(cursor),
        debug: (text) => {
          this.debug.push(text);
          this.#changed();
        },
      },
      ...options,
    });
    return this.listener.run();
  }

  /** Waits for a line that begins like this. */
  async untilTold(start: string): Promise<void> {
    await expect.poll(() => this.lines.find((line) => line.startsWith(start))).toBeDefined();
  }

  /** Resolves when the listener waits for the n-th time because of some trouble, with what it says about that. */
  async waits(n: number): Promise<string> {
    while (this.debug.length < n) await this.#change();
    return this.debug[n - 1] ?? '';
  }

  say(text: string, to?: string): Promise<unknown> {
    return this.send(textEnvelope(text, to));
  }

  send(envelope: JsonObject): Promise<unknown> {
    return this.link.outbox.send(envelope);
  }

  /** Sends a text as it is, sealed or not. */
  sendRaw(text: string): Promise<unknown> {
    const { channelId, token, participantId } = this.link.seat.identity;
    return this.link.client.send(channelId, { token, participant_id: participantId, text });
  }

  seal(envelope: JsonObject): Promise<string> {
    return this.link.cipher.seal(this.link.seat.identity.name, JSON.stringify(envelope));
  }

  #change(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  #changed(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  leave(): Promise<void> {
    const { channelId, token, participantId } = this.link.seat.identity;
    return this.link.client.leave(channelId, { token, participant_id: participantId });
  }
}
