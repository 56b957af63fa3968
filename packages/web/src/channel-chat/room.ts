import { helloEnvelope } from '@parley/protocol/channels/content';
import type { ChannelCipher } from '@parley/protocol/channels/envelope';
import { randomHex } from '@parley/protocol/channels/key';
import type { RosterEntry } from '@parley/protocol/channels/types';
import type { JsonObject } from '@parley/protocol/json';
import { KeyWatch } from '@parley/sdk/channels/key-check';
import type { ChannelApi } from './channel-api.ts';
import { Connection, type ConnectionState } from './connection.ts';
import type { Conversation } from './conversation.ts';
import type { MessageEntry } from './entry.ts';
import { EarlierLog, withEarlier } from './earlier-log.ts';
import { Inbox } from './inbox.ts';
import { keyNotes } from './key-notes.ts';
import { joinChannel, type Membership } from './membership.ts';
import { Outbox } from './outbox.ts';
import type { Peers } from './peers.ts';
import { SealedSender } from './sealed-sender.ts';
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
  /** The person only reads, which the others are told. */
  readonly reader: boolean;
}

/** All that belongs to one seat; a new join makes a new one. */
interface Seat extends Membership {
  readonly reader: boolean;
  readonly sender: SealedSender;
  readonly inbox: Inbox;
  readonly keyWatch: KeyWatch;
}

const ROSTER_EVERY_MS = 60_000;

/** The person's presence in the channel: joins, follows, speaks, leaves. */
export class ChatRoom {
  readonly #parts: RoomParts;
  readonly #view: RoomView;
  readonly #outbox: Outbox;
  #seat: Seat | null = null;
  #connection: Connection | null = null;

  constructor(parts: RoomParts, view: RoomView) {
    this.#parts = parts;
    this.#view = view;
    this.#outbox = new Outbox(parts.conversation, () => this.#seat?.sender ?? null);
    setInterval(() => void this.refreshRoster(), ROSTER_EVERY_MS);
  }

  get name(): string {
    return this.#seat?.name ?? '';
  }

  async enter(entrance: Entrance): Promise<void> {
    const { api, fingerprint, conversation, peers } = this.#parts;
    const membership = await joinChannel(api, { ...entrance, fingerprint });
    const seat = this.#takeSeat(membership, entrance.reader);
    peers.update(seat.roster, seat.name, fingerprint);
    conversation.note(welcomeLine(entrance.name, seat.name));
    for (const note of keyNotes(seat.keyCheck)) conversation.note(note, 'warn');
    this.#follow(seat, seat.cursor);
    const { resumed, reader } = entrance;
    this.#tell(seat, helloEnvelope(seat.challenge, { human: true, resumed, reader }));
  }

  /** Whether something was said before the person came: everyone here has at least come. */
  get hasEarlier(): boolean {
    return this.#seat !== null && this.#seat.cursor > this.#seat.roster.length;
  }

  /** Puts what was said before in front of what is shown. */
  async showEarlier(): Promise<void> {
    const [seat, connection] = [this.#seat, this.#connection];
    if (seat === null || connection === null) return;
    const { api, cipher, conversation, peers } = this.#parts;
    const log = new EarlierLog(api, cipher, seat.participantId);
    const past = await log.read(connection.cursor);
    for (const { name, kind } of past.peers.all)
      if (peers.get(name)?.kind === 'unknown') peers.learn(name, { kind });
    conversation.replace(withEarlier(past.entries, conversation.entries, seat.name));
  }

  /** True once the server has it. */
  async say(text: string, to: string): Promise<boolean> {
    const entry = this.#parts.conversation.say(this.name, text, to);
    await this.#outbox.submit(entry);
    return entry.state === 'sent';
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
    if (this.#seat !== null) this.#view.state({ kind: 'paused' });
  }

  /** Back from the cache: takes its seat again, or a new one when the old one is gone. */
  resume(): void {
    if (this.#seat !== null && this.#connection !== null) this.#follow(this.#seat, this.#connection.cursor);
  }

  retryNow(): void {
    this.#connection?.retryNow();
  }

  #takeSeat(membership: Membership, reader: boolean): Seat {
    const { api, cipher, fingerprint, conversation, peers } = this.#parts;
    const { name, challenge, roster } = membership;
    const known = roster.map((entry) => entry.name);
    const seat: Seat = {
      ...membership,
      reader,
      sender: new SealedSender(api, cipher, membership),
      keyWatch: new KeyWatch(fingerprint, known),
      inbox: new Inbox({
        name,
        challenge,
        cipher,
        conversation,
        peers,
        outbox: this.#outbox,
        isReader: reader,
        // It cannot know what the first numbers were.
        fromStart: false,
        arrived: () => void this.refreshRoster(),
        answer: (envelope) => this.#tell(seat, envelope),
        heard: (from, text) => this.#view.heard(from, text),
      }),
    };
    this.#seat = seat;
    return seat;
  }

  #follow(seat: Seat, cursor: number): void {
    const connection = new Connection(this.#parts.api, seat.participantId, cursor, {
      state: (state) => this.#lineChanged(connection, seat, state),
      event: async (event) => {
        if (event.type === 'leave') {
          if (event.from === seat.name) return this.#lostSeat(connection, seat);
          seat.keyWatch.left(event.from);
        }
        await seat.inbox.take(event);
      },
      roster: (roster) => this.#takeRoster(roster, seat),
    });
    this.#connection = connection;
    void connection.follow();
  }

  #lineChanged(connection: Connection, seat: Seat, state: ConnectionState): void {
    if (connection !== this.#connection) return;
    if (state.kind === 'ended') {
      this.#seat = null;
      this.#parts.peers.clear();
    }
    this.#view.state(state);
    if (state.kind === 'dropped') void this.#rejoin(seat);
  }

  /** This page did not leave, yet its seat is given up. */
  #lostSeat(connection: Connection, seat: Seat): void {
    connection.stop();
    this.#lineChanged(connection, seat, { kind: 'dropped' });
  }

  async #rejoin(seat: Seat): Promise<void> {
    try {
      await this.enter({ name: seat.name, patient: false, resumed: true, reader: seat.reader });
    } catch (error) {
      this.#parts.conversation.note(refusalInWords(error).text, 'warn');
      this.leave('left');
    }
  }

  /** Handshake messages: sealed like any other, not shown, not retried by the person. */
  #tell(seat: Seat, envelope: JsonObject): void {
    void seat.sender.send({ envelope, clientId: randomHex(8), sealed: null }).catch(() => undefined);
  }

  /** What the server now says about the others. */
  async refreshRoster(): Promise<void> {
    const [seat, connection] = [this.#seat, this.#connection];
    if (seat === null || connection === null || connection.stopped) return;
    const page = await this.#parts.api.poll(seat.participantId, connection.cursor, 0).catch(() => null);
    if (page?.roster !== undefined && this.#seat === seat) this.#takeRoster(page.roster, seat);
  }

  #takeRoster(roster: readonly RosterEntry[], seat: Seat): void {
    const { peers, fingerprint, conversation } = this.#parts;
    peers.update(roster, seat.name, fingerprint);
    for (const { name, problem } of seat.keyWatch.news(roster, seat.name)) {
      const [different, silent] = problem === 'mismatch' ? [[name], []] : [[], [name]];
      for (const note of keyNotes({ different, silent })) conversation.note(note, 'warn');
    }
  }
}

function welcomeLine(wished: string, given: string): string {
  return wished === given ? `You joined as ${given}` : `${wished} was taken, so you joined as ${given}`;
}
