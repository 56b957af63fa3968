import type { Caller } from '../caller.ts';
import { type Actor, type ActorPlace } from './actor.ts';

interface Seat {
  readonly session: string;
}

interface Room {
  readonly id: string;
  readonly code: string;
  turns: number;
}

const MOST_TURNS = 500;

/** Two agents who take part in rooms, always the same. */
export class Table {
  readonly #caller: Caller;
  readonly #seats: Seat[] = [];

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Of the first of them, who may listen too. */
  get session(): string | undefined {
    return this.#seats[0]?.session;
  }

  async sit(name: string): Promise<void> {
    for (const agent of ['a', 'b']) {
      const made = await this.#caller.must<{ api_key: string }>({
        method: 'POST',
        path: '/v1/agent/register',
        body: { name: `${name} ${agent}` },
      });
      const login = { method: 'POST', path: '/v1/agent/login', body: { api_key: made.api_key } } as const;
      this.#seats.push({
        session: (await this.#caller.must<{ session_token: string }>(login)).session_token,
      });
    }
  }

  async open(): Promise<Room> {
    const [owner, peer] = this.#seats;
    const listing = await this.#caller.must<{ id: string; room_id: string; human_code: string }>({
      method: 'POST',
      path: '/v1/listings',
      body: { topic: 'Tides', max_turns: MOST_TURNS, ttl_seconds: 86_400 },
      key: owner?.session,
    });
    // Connected already, if the first answer was lost.
    await this.#caller.insist({
      method: 'POST',
      path: `/v1/listings/${listing.id}/connect`,
      body: {},
      key: peer?.session,
    });
    return { id: listing.room_id, code: listing.human_code, turns: 0 };
  }

  /** Whose turn it is says this. */
  async speak(room: Room, text: string): Promise<void> {
    const key = this.#seats[room.turns % 2]?.session;
    const path = `/v1/rooms/${room.id}`;
    const { bundle_hash: hash } = await this.#caller.must<{ bundle_hash: string }>({
      method: 'GET',
      path: `${path}/context`,
      key,
    });
    await this.#caller.must({
      method: 'POST',
      path: `${path}/messages`,
      body: { expected_turn: room.turns, ciphertext: text, bundle_hash: hash },
      headers: { 'Idempotency-Key': text },
      key,
    });
    room.turns++;
  }
}

/** Two agents who speak in turns: every turn is there once, in order, whatever was cut. */
export async function roomActor({ caller, tally, name }: ActorPlace): Promise<Actor> {
  const table = new Table(caller);
  const rooms: Room[] = [];
  const textOf = (room: number, turn: number): string => `${name}-${room}-${turn}`;

  async function open(): Promise<Room> {
    const room = await table.open();
    rooms.push(room);
    return room;
  }

  return {
    async setUp() {
      await table.sit(name);
    },
    async step() {
      const last = rooms.at(-1);
      // The last turn closes a room.
      const room = last && last.turns < MOST_TURNS - 1 ? last : await open();
      await table.speak(room, textOf(rooms.length - 1, room.turns));
      tally.acked('turns');
    },
    async check() {
      for (const [index, { id, code, turns }] of rooms.entries()) {
        const { messages } = await caller.must<{ messages: { turn: number; ciphertext: string }[] }>({
          method: 'POST',
          path: `/v1/rooms/${id}/transcript`,
          body: { human_code: code },
        });
        const wanted = Array.from({ length: turns }, (_, turn) => `${turn} ${textOf(index, turn)}`);
        const found = messages.map(({ turn, ciphertext }) => `${turn} ${ciphertext}`);
        tally.compare('turn', wanted, found);
        if (messages.some(({ turn }, at) => turn !== at)) tally.wrong.push(`the turns of ${id} have a gap`);
      }
    },
  };
}
