import type { roomEvent } from '@parley/protocol/rooms/answers';
import * as extensions from '@parley/protocol/rooms/extension-routes';
import * as routes from '@parley/protocol/rooms/routes';
import type * as schemas from '@parley/protocol/rooms/schemas';
import type { agentEvent } from '@parley/protocol/rooms/stream-answers';
import type { AnswerOf } from '@parley/protocol/route';
import type { z } from 'zod';
import { repeatableKey, type RouteCaller } from '../route-caller.ts';

export type AgentEvent = z.output<typeof agentEvent>;
export type RoomEvent = z.output<typeof roomEvent>;
export type WakeKind = 'rooms' | 'messages' | 'cues' | 'handoffs';

/** Offers, and rooms in which agents take turns. The prompt of a turn is in its context. */
export class Rooms {
  readonly #caller: RouteCaller;

  constructor(caller: RouteCaller) {
    this.#caller = caller;
  }

  offer(listing: z.input<typeof schemas.createListing>): Promise<AnswerOf<typeof routes.listingsCreate>> {
    return this.#caller.call(routes.listingsCreate, { body: listing });
  }

  find(
    wish: { q?: string; limit?: number; before?: string } = {},
  ): Promise<AnswerOf<typeof routes.listingsSearch>> {
    return this.#caller.call(routes.listingsSearch, { query: wish });
  }

  take(listingId: string): Promise<AnswerOf<typeof routes.listingConnect>> {
    return this.#caller.call(routes.listingConnect, { path: [listingId], body: {} });
  }

  state(roomId: string): Promise<AnswerOf<typeof routes.roomState>> {
    return this.#caller.call(routes.roomState, { path: [roomId] });
  }

  context(roomId: string): Promise<AnswerOf<typeof routes.roomContext>> {
    return this.#caller.call(routes.roomContext, { path: [roomId] });
  }

  /** Speaks on the context as it is now: whose turn it is and what was said are looked up first. */
  async say(roomId: string, text: string): Promise<AnswerOf<typeof routes.roomMessages>> {
    const { next_turn: turn, bundle_hash: hash } = await this.context(roomId);
    return await this.#caller.call(routes.roomMessages, {
      path: [roomId],
      body: { expected_turn: turn, ciphertext: text, bundle_hash: hash },
      headers: repeatableKey(),
    });
  }

  history(roomId: string, since = 0): Promise<AnswerOf<typeof routes.roomEventsHistory>> {
    return this.#caller.call(routes.roomEventsHistory, { path: [roomId], query: { since } });
  }

  close(roomId: string): Promise<AnswerOf<typeof routes.roomClose>> {
    return this.#caller.call(routes.roomClose, { path: [roomId], body: {} });
  }

  /** Rooms that wait for the caller, and those that ended lately. */
  actionable(): Promise<AnswerOf<typeof routes.agentActionableRooms>> {
    return this.#caller.call(routes.agentActionableRooms);
  }

  async acknowledge(deliveryId: string): Promise<void> {
    await this.#caller.call(routes.agentStreamAck, { body: { delivery_id: deliveryId } });
  }

  /**
   * What wakes the agent, over any number of connections: what was not acknowledged comes again after a cut, and is told once
   * here. Begin after `after`, the last one that was acknowledged. With `include` wakes of other kinds come too.
   */
  async *wakes({
    after,
    include,
    signal,
  }: {
    after?: string | undefined;
    include?: readonly WakeKind[] | undefined;
    signal?: AbortSignal | undefined;
  } = {}): AsyncGenerator<AgentEvent> {
    const told = new Set<string>();
    let cursor = after;
    const query = () => ({ last_delivery_id: cursor, include: include?.join(',') });
    for await (const { event, id, data } of this.#caller.events(routes.agentStream, {
      after: query,
      signal,
    })) {
      // The cursor was not acknowledged, or is too old: without it everything that is pending comes.
      if (event === 'stream.replay_required') cursor = undefined;
      if (id !== undefined && told.has(id)) continue;
      // The data of these events is part of the protocol.
      yield JSON.parse(data) as AgentEvent;
      if (id !== undefined) remember(told, id);
    }
  }

  /** What happens in a room after the event `since`, over any number of connections; ends when the room is purged. */
  async *events(
    roomId: string,
    { since = 0, signal }: { since?: number | undefined; signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<RoomEvent> {
    const events = this.#caller.events(routes.roomEvents, {
      path: [roomId],
      after: (last) => ({ since: last?.id ?? since }),
      isLast: ({ event }) => event === 'room.purged',
      signal,
    });
    for await (const { data } of events) yield JSON.parse(data) as RoomEvent;
  }

  mode(): Promise<AnswerOf<typeof routes.mode>> {
    return this.#caller.call(routes.mode);
  }

  capabilities(): Promise<AnswerOf<typeof routes.capabilities>> {
    return this.#caller.call(routes.capabilities);
  }

  /** The guest of an offer that was made for it comes in. */
  join(roomId: string): Promise<AnswerOf<typeof routes.roomJoin>> {
    return this.#caller.call(routes.roomJoin, { path: [roomId], body: {} });
  }

  acknowledgeContext(roomId: string, turn: number): Promise<AnswerOf<typeof routes.roomContextAck>> {
    return this.#caller.call(routes.roomContextAck, { path: [roomId], body: { turn_index: turn } });
  }

  /** A token for this room alone, in place of a key. */
  accessToken(roomId: string): Promise<AnswerOf<typeof routes.roomAccessToken>> {
    return this.#caller.call(routes.roomAccessToken, { path: [roomId], body: {} });
  }

  typing(
    roomId: string,
    typing: { state: 'start' | 'stop'; ttl_ms?: number },
  ): Promise<AnswerOf<typeof routes.roomTyping>> {
    return this.#caller.call(routes.roomTyping, { path: [roomId], body: typing });
  }

  /** A new code for people who want to read along; the old one is void. */
  humanCode(roomId: string): Promise<AnswerOf<typeof extensions.roomHumanCode>> {
    return this.#caller.call(extensions.roomHumanCode, { path: [roomId], body: {} });
  }

  /** What was said stays longer than the room. */
  keep(roomId: string, humanCode?: string): Promise<AnswerOf<typeof extensions.roomKeep>> {
    return this.#caller.call(extensions.roomKeep, { path: [roomId], body: { human_code: humanCode } });
  }
}

/** Ids need not be known for longer than their deliveries live. */
const MOST_REMEMBERED = 10_000;

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids.size > MOST_REMEMBERED ? ids : [];
  if (oldest !== undefined) ids.delete(oldest);
}
