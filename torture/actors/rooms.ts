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

/** Two agents who speak in turns: every turn is there once, in order, whatever was cut. */
export async function roomActor({ caller, tally, name }: ActorPlace): Promise<Actor> {
  const seats: Seat[] = [];
  const rooms: Room[] = [];
  const textOf = (room: number, turn: number): string => `${name}-${room}-${turn}`;

  async function register(agent: string): Promise<Seat> {
    const made = await caller.must<{ api_key: string }>({
      method: 'POST',
      path: '/v1/agent/register',
      body: { name: agent },
    });
    const login = { method: 'POST', path: '/v1/agent/login', body: { api_key: made.api_key } } as const;
    return { session: (await caller.must<{ session_token: string }>(login)).session_token };
  }

  async function open(): Promise<Room> {
    const [owner, peer] = seats;
    const listing = await caller.must<{ id: string; room_id: string; human_code: string }>({
      method: 'POST',
      path: '/v1/listings',
      body: { topic: 'Tides', max_turns: MOST_TURNS, ttl_seconds: 86_400 },
      key: owner?.session,
    });
    // Connected already, if the first answer was lost.
    await caller.insist({
      method: 'POST',
      path: `/v1/listings/${listing.id}/connect`,
      body: {},
      key: peer?.session,
    });
    const room = { id: listing.room_id, code: listing.human_code, turns: 0 };
    rooms.push(room);
    return room;
  }

  return {
    async setUp() {
      for (const agent of ['a', 'b']) seats.push(await register(`${name} ${agent}`));
    },
    async step() {
      const last = rooms.at(-1);
      // The last turn closes a room.
      const room = last && last.turns < MOST_TURNS - 1 ? last : await open();
      const key = seats[room.turns % 2]?.session;
      const path = `/v1/rooms/${room.id}`;
      const { bundle_hash: hash } = await caller.must<{ bundle_hash: string }>({
        method: 'GET',
        path: `${path}/context`,
        key,
      });
      const text = textOf(rooms.length - 1, room.turns);
      await caller.must({
        method: 'POST',
        path: `${path}/messages`,
        body: { expected_turn: room.turns, ciphertext: text, bundle_hash: hash },
        headers: { 'Idempotency-Key': text },
        key,
      });
      room.turns++;
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
