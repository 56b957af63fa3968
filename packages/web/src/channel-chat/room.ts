import { helloEnvelope, textEnvelope } from '@parley/protocol/channels/content';
import type { ChannelCipher, JsonObject } from '@parley/protocol/channels/envelope';
import { randomHex } from '@parley/protocol/channels/key';
import type { RosterEntry } from '@parley/protocol/channels/types';
import type { ChannelApi } from './channel-api.ts';
import { Connection, type ConnectionState } from './connection.ts';
import type { Conversation } from './conversation.ts';
import type { MessageEntry } from './entry.ts';
import { Inbox } from './inbox.ts';
import { KeyWatch } from './key-watch.ts';
import { joinChannel, type Membership } from './membership.ts';
import { Outbox, type Sending } from './outbox.ts';
import type { Peers } from './peers.ts';
import { refusalInWords } from './words.ts';

/** Beside the states of the line: `left` on request, `away` after a long time hidden, `paused` in the page cache. */
export type RoomState = ConnectionState | { readonly kind: 'left' | 'away' | 'paused' };

export interface RoomView {
  state(state: RoomState): void;
  heard(from: string, text: string): void;
}

export interface RoomParts {
  readonly api: ChannelApi;
  readonly cipher: ChannelCipher;
  readonly fingerprint: string;
  readonly conversation: Conversation;
  readonly peers: Peers;
}

export interface Entrance {
  readonly name: string;
  readonly patient: boolean;
  /** The person has been here before under this name. */
  readonly resumed: boolean;
}

const ROSTER_EVERY_MS = 60_000;

/** The person's presence in the channel: joins, follows, speaks, leaves. */
export class Room {
  readonly #parts: RoomParts;
  readonly #view: RoomView;
  readonly #outbox: Outbox;
  readonly #inbox: Inbox;
  readonly #keyWatch: KeyWatch;
  #seat: Membership | null = null;
  #connection: Connection | null = null;

  constructor(parts: RoomParts, view: RoomView) {
    this.#parts = parts;
    this.#view = view;
    this.#keyWatch = new KeyWatch(parts.conversation);
    this.#outbox = new Outbox(parts.conversation, () => this.#sending());
    this.#inbox = new Inbox(parts.cipher, parts.conversation, parts.peers, this.#outbox, {
      arrived: () => void this.#refreshRoster(),
      answer: (envelope) => void this.#tell(envelope),
      heard: (from, text) => view.heard(from, text),
    });
    setInterval(() => void this.#refreshRoster(), ROSTER_EVERY_MS);
  }

  get name(): string {
    return this.#seat?.name ?? '';
  }

  async enter(entrance: Entrance): Promise<void> {
    const { api, fingerprint, conversation, peers } = this.#parts;
    const seat = await joinChannel(api, { ...entrance, fingerprint });
    this.#seat = seat;
    this.#inbox.forgetAnswers();
    peers.update(seat.roster, seat.name, fingerprint);
    conversation.note(welcomeLine(entrance.name, seat.name));
    this.#keyWatch.atJoin(seat.keyCheck);
    this.#follow(seat, seat.cursor);
    await this.#tell(helloEnvelope(seat.challenge, { human: true, resumed: entrance.resumed }));
  }

  async say(text: string): Promise<void> {
    await this.#outbox.submit(this.#parts.conversation.say(this.name, text));
  }

  async retry(entry: MessageEntry): Promise<void> {
    await this.#outbox.submit(entry);
  }

  leave(why: 'left' | 'away'): void {
    if (this.#seat === null) return;
    this.farewell();
    this.#parts.peers.clear();
    this.#view.state({ kind: why });
  }

  /** The last words of a page that closes. */
  farewell(): void {
    const seat = this.#seat;
    this.#connection?.stop();
    this.#connection = null;
    this.#seat = null;
    if (seat !== null) void this.#parts.api.leave(seat.participantId).catch(() => undefined);
  }

  /** The page goes into the back/forward cache, where no connection may stay open. */
  pause(): void {
    this.#connection?.stop();
    this.#view.state({ kind: 'paused' });
  }

  resume(): void {
    if (this.#seat !== null && this.#connection !== null) this.#follow(this.#seat, this.#connection.cursor);
  }

  retryNow(): void {
    this.#connection?.retryNow();
  }

  #follow(seat: Membership, cursor: number): void {
    const connection = new Connection(this.#parts.api, seat.participantId, cursor, {
      state: (state) => this.#lineChanged(connection, seat, state),
      event: (event) => this.#inbox.take(event, seat),
      roster: (roster) => this.#takeRoster(roster, seat),
    });
    this.#connection = connection;
    void connection.follow();
  }

  #lineChanged(connection: Connection, seat: Membership, state: ConnectionState): void {
    if (connection !== this.#connection) return;
    this.#view.state(state);
    if (state.kind === 'dropped') void this.#rejoin(seat);
    if (state.kind !== 'ended') return;
    this.#seat = null;
    this.#parts.peers.clear();
  }

  async #rejoin(seat: Membership): Promise<void> {
    try {
      await this.enter({ name: seat.name, patient: false, resumed: true });
    } catch (error) {
      this.#parts.conversation.note(refusalInWords(error).text, 'warn');
      this.leave('left');
    }
  }

  #sending(): Sending | null {
    const seat = this.#seat;
    if (seat === null) return null;
    const { api, cipher } = this.#parts;
    return {
      sender: seat.name,
      seal: (text) => cipher.seal(seat.name, JSON.stringify(textEnvelope(text))),
      post: (blob, clientId) => api.send(seat.participantId, blob, clientId),
    };
  }

  /** Handshake messages: sealed like any other, not shown, not retried. */
  async #tell(envelope: JsonObject): Promise<void> {
    const seat = this.#seat;
    if (seat === null) return;
    const blob = await this.#parts.cipher.seal(seat.name, JSON.stringify(envelope));
    await this.#parts.api.send(seat.participantId, blob, randomHex(8)).catch(() => undefined);
  }

  async #refreshRoster(): Promise<void> {
    const [seat, connection] = [this.#seat, this.#connection];
    if (seat === null || connection === null || connection.stopped) return;
    const page = await this.#parts.api.poll(seat.participantId, connection.cursor, 0).catch(() => null);
    if (page?.roster && this.#seat === seat) this.#takeRoster(page.roster, seat);
  }

  #takeRoster(roster: readonly RosterEntry[], seat: Membership): void {
    const { peers, fingerprint } = this.#parts;
    peers.update(roster, seat.name, fingerprint);
    this.#keyWatch.later(peers.all);
  }
}

function welcomeLine(wished: string, given: string): string {
  return wished === given ? `You joined as ${given}` : `${wished} was taken, so you joined as ${given}`;
}
