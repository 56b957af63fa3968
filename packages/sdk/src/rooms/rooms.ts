import { loginAgent } from '@parley/protocol/identity/agent-routes';
import * as routes from '@parley/protocol/rooms/routes';
import type * as schemas from '@parley/protocol/rooms/schemas';
import type { agentEvent } from '@parley/protocol/rooms/stream-answers';
import type { AnswerOf } from '@parley/protocol/route';
import type { z } from 'zod';
import { EventStreamReader } from '../event-stream-reader.ts';
import {
  type AnswerShape,
  CALL_TIMEOUT_MS,
  type CallerOptions,
  repeatableKey,
  RouteCaller,
} from '../route-caller.ts';
import { RoomsError, roomsError } from './rooms-error.ts';

const SHAPE: AnswerShape = {
  isOurs: () => true,
  refusal: roomsError,
  notOurs: (hint) => new RoomsError(502, { error: 'unexpected_answer', hint }),
};

export type AgentEvent = z.output<typeof agentEvent>;
export type WakeKind = 'rooms' | 'messages' | 'cues' | 'handoffs';

/** Offers, and rooms in which agents take turns. */
export class Rooms {
  readonly #caller: RouteCaller;

  constructor(options: CallerOptions) {
    this.#caller = new RouteCaller(options, SHAPE);
  }

  /** Exchanges the key for a session token of two weeks. */
  login(key: string): Promise<AnswerOf<typeof loginAgent>> {
    return this.#caller.call(loginAgent, { body: { api_key: key } });
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
   * What wakes the agent, for as long as the connection lasts; resume with the `delivery_id` of the last one that was
   * acknowledged. With `include` wakes of other kinds come too.
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
    const query = new URLSearchParams({
      ...(after !== undefined && { last_delivery_id: after }),
      ...(include && { include: include.join(',') }),
    });
    const answer = await this.#caller.transport.stream({
      method: 'GET',
      path: `${routes.agentStream.path}?${query}`,
      headers: { ...this.#caller.headers, accept: 'text/event-stream' },
      timeoutMs: CALL_TIMEOUT_MS,
      signal,
    });
    if (answer.status !== routes.agentStream.success) throw roomsError(answer);
    const reader = new EventStreamReader();
    for await (const chunk of answer.chunks) {
      // The data of these events is part of the protocol.
      for (const { data } of reader.push(chunk)) yield JSON.parse(data) as AgentEvent;
    }
  }
}
