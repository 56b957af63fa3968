import { helloEnvelope, textEnvelope } from '@parley/protocol/channels/content';
import type { ChannelEvent } from '@parley/protocol/channels/event-lines';
import { joinUrl } from '@parley/protocol/channels/join-url';
import type { CryptoSource } from '@parley/protocol/channels/key';
import type { PollAnswer, SendAnswer } from '@parley/protocol/channels/types';
import { presentAddressee, presentNames } from './addressee.ts';
import { ChannelError } from './channel-error.ts';
import type { Clock } from './clock.ts';
import type { Identity } from './identity.ts';
import type { InboxMemory } from './listening/inbox.ts';
import type { KeyCheck } from './key-check.ts';
import { type Link, openLink } from './link.ts';
import { Listener, type ListenerEnd, type ListenerHost, type ListenerOptions } from './listening/listener.ts';
import type { SeatStorage } from './seat.ts';
import type { ChainState } from './send-chain.ts';
import { StreamFeed } from './listening/stream-feed.ts';
import { FetchTransport } from './fetch-transport.ts';
import type { Transport } from './transport.ts';

/** Everything that has to be kept to come back as the same participant. Holds secrets. */
export interface SessionState extends Identity {
  server: string;
  /** Where others reach the server, when the server says that it is elsewhere. */
  publicServer?: string | undefined;
  cursor: number;
  /** Only a joiner has one. */
  challenge?: string | undefined;
  /** Names whose keys were compared at join. */
  knownNames?: string[] | undefined;
  chain?: ChainState | undefined;
  memory?: InboxMemory | undefined;
}

export interface SessionOptions {
  /** `fetch` by default. */
  transport?: Transport | undefined;
  clock?: Clock | undefined;
  crypto?: CryptoSource | undefined;
  storage?: SeatStorage | undefined;
}

/** One participant in one channel: what goes out is sealed, what comes in is opened. */
export class ChannelSession {
  readonly #link: Link;
  readonly #state: SessionState;
  /** How our key compares with the others', when we have just joined. */
  readonly keyCheck: KeyCheck | undefined;
  /** Told by the listener, not yet taken by the reader of `stream`. */
  readonly #unread: ChannelEvent[] = [];
  #greeted = false;

  private constructor(link: Link, state: SessionState, keyCheck: KeyCheck | undefined) {
    this.#link = link;
    this.#state = state;
    this.keyCheck = keyCheck;
  }

  /** Goes on with a session from its kept state, without asking the server. */
  static async open(
    state: SessionState,
    options: SessionOptions = {},
    keyCheck?: KeyCheck,
  ): Promise<ChannelSession> {
    const { channelId, token, key, participantId, name } = state;
    const link = await openLink({
      ...options,
      transport: options.transport ?? new FetchTransport(state.server),
      identity: { channelId, token, key, participantId, name },
      chain: state.chain,
    });
    return new ChannelSession(link, { ...state }, keyCheck);
  }

  get name(): string {
    return this.#link.seat.identity.name;
  }

  get channelId(): string {
    return this.#state.channelId;
  }

  /** What another agent or person needs to join. Contains the key: hand it over, do not publish it. */
  get joinUrl(): string {
    const { server, publicServer, channelId, token, key } = this.#state;
    return joinUrl({ base: publicServer ?? server, channelId, token, key });
  }

  state(): SessionState {
    return { ...this.#state, ...this.#link.seat.identity, chain: this.#link.chain.state() };
  }

  /** To everyone. Resolves with the index when it is stored; retries are stored once. */
  send(text: string): Promise<SendAnswer> {
    return this.#say(text);
  }

  /** To one participant: the others could open it, but do not act on it. */
  dm(name: string, text: string): Promise<SendAnswer> {
    return this.#say(text, name);
  }

  /** The member whom event lines show under this name; the name itself when there is no such one. */
  addressee(shown: string): Promise<string> {
    return presentAddressee(this.#link.client, this.#link.seat.identity, shown);
  }

  /** The names of who is here, ourselves among them; undefined when the server does not tell. */
  present(): Promise<string[] | undefined> {
    return presentNames(this.#link.client, this.#link.seat.identity);
  }

  async #say(text: string, to?: string): Promise<SendAnswer> {
    // The server would take it, since it sees a blob, and every receiver would drop it.
    if (text === '') throw new ChannelError(400, { error: 'empty_text' });
    return await this.#link.outbox.send(textEnvelope(text, to));
  }

  /** Tells everyone that we are here and asks them to prove that they hold the key. Only a joiner has to. */
  async hello(who: { resumed?: boolean } = {}): Promise<void> {
    const { challenge } = this.#state;
    if (challenge !== undefined) await this.#link.outbox.send(helloEnvelope(challenge, who));
  }

  /** Raw events from `since` on, still sealed. */
  poll(
    since = this.#state.cursor,
    options: { wait?: number; signal?: AbortSignal } = {},
  ): Promise<PollAnswer> {
    const { channelId, token, participantId } = this.#link.seat.identity;
    return this.#link.client.poll(channelId, { token, participant_id: participantId, since, ...options });
  }

  /** Everything that happens from where this session stands; ends with the channel, or when the reader stops. */
  async *stream(
    options: Partial<ListenerOptions> = {},
  ): AsyncGenerator<ChannelEvent, ListenerEnd | undefined> {
    const news = new Signal();
    const emit = (event: ChannelEvent): void => {
      this.#unread.push(event);
      news.give();
    };
    const feed = new StreamFeed(this.#link.client, this.#link.seat.identity, this.#link.clock);
    const listener = this.listener({ emit }, { coalesceSeconds: 0, feed, hello: !this.#greeted, ...options });
    this.#greeted = true;
    let end: ListenerEnd | undefined;
    const running = listener.run().then((result) => {
      end = result;
      news.give();
    });
    try {
      for (;;) {
        const event = this.#unread.shift();
        if (event) yield event;
        else if (end) return end;
        else await Promise.race([running, news.given()]);
      }
    } finally {
      listener.stop();
      await running;
      this.#state.memory = listener.memory();
    }
  }

  /** For programs that print lines and keep files; most want `stream`. */
  listener(
    host: Partial<ListenerHost> & Pick<ListenerHost, 'emit'>,
    options: Partial<ListenerOptions> = {},
  ): Listener {
    const { challenge, knownNames, memory, cursor } = this.#state;
    return new Listener({
      link: this.#link,
      challenge,
      knownNames,
      memory,
      cursor,
      ...options,
      host: {
        writeMessageFile: () => '',
        debug: () => undefined,
        ...host,
        saveCursor: (to) => {
          this.#state.cursor = to;
          host.saveCursor?.(to);
        },
      },
    });
  }

  /** Says goodbye. A channel that is gone, or that we are no longer in, is left already. */
  async leave(): Promise<void> {
    const { channelId, token, participantId } = this.#link.seat.identity;
    try {
      await this.#link.client.leave(channelId, { token, participant_id: participantId });
    } catch (error) {
      const left = error instanceof ChannelError && (error.status === 404 || error.code === NOT_IN);
      if (!left) throw error;
    }
  }
}

const NOT_IN = 'participant_not_in_channel';

/** Wakes one waiter; a signal given while nobody waits is kept. */
class Signal {
  #wake: (() => void) | undefined;
  #waiting = false;

  give(): void {
    this.#waiting = true;
    this.#wake?.();
  }

  async given(): Promise<void> {
    if (!this.#waiting) await new Promise<void>((resolve) => void (this.#wake = resolve));
    this.#waiting = false;
  }
}
